#include <cstddef>
#include <unordered_map>
#include <vector>

std::unordered_map<long, double> total_by_key(const std::vector<long>& keys, const std::vector<double>& amounts) {
    std::unordered_map<long, double> totals;
    for (std::size_t i = 0; i < keys.size(); i++) {
        totals[keys[i]] += amounts[i];
    }
    return totals;
}
