#include <cstddef>
#include <map>
#include <vector>

std::map<int, double> group_average(const std::vector<int>& keys, const std::vector<double>& values) {
    std::map<int, double> totals;
    std::map<int, int> counts;
    for (std::size_t i = 0; i < keys.size(); i++) {
        totals[keys[i]] += values[i];
        counts[keys[i]]++;
    }
    std::map<int, double> averages;
    for (const auto& entry : totals) {
        averages[entry.first] = entry.second / counts[entry.first];
    }
    return averages;
}
