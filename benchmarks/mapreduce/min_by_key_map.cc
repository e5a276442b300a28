#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

std::unordered_map<int, double> min_by_key(const std::vector<int>& keys, const std::vector<double>& values) {
    std::unordered_map<int, double> least;
    for (std::size_t i = 0; i < keys.size(); i++) {
        if (values[i] > 0.0) {
            if (least.count(keys[i])) {
                least[keys[i]] = std::min(least[keys[i]], values[i]);
            } else {
                least[keys[i]] = values[i];
            }
        }
    }
    return least;
}
