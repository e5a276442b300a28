#include <cstddef>
#include <map>
#include <vector>

std::map<int, double> group_variance(const std::vector<int>& keys, const std::vector<double>& values) {
    std::map<int, double> sums, squares, variances;
    std::map<int, long> counts;
    for (std::size_t i = 0; i < keys.size(); i++) {
        counts[keys[i]] += 1;
        sums[keys[i]] += values[i];
        squares[keys[i]] += values[i] * values[i];
    }
    for (const auto& [key, count] : counts) {
        double mean = sums[key] / count;
        variances[key] = squares[key] / count - mean * mean;
    }
    return variances;
}
