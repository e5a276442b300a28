#include <set>
#include <vector>

std::set<int> distinct_values(const std::vector<int>& values) {
    std::set<int> seen;
    for (int value : values) {
        if (seen.find(value) == seen.end()) {
            seen.insert(value);
        }
    }
    return seen;
}
