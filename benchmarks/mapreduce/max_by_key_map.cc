#include <cstddef>
#include <map>
#include <vector>

std::map<int, int> max_by_key(const std::vector<int>& keys, const std::vector<int>& values) {
    std::map<int, int> best;
    for (std::size_t i = 0; i < keys.size(); i++) {
        auto found = best.find(keys[i]);
        if (found == best.end()) {
            best[keys[i]] = values[i];
        } else if (values[i] > found->second) {
            found->second = values[i];
        }
    }
    return best;
}
