#include <cstddef>
#include <map>
#include <vector>

std::map<char, long> pricing_summary(const std::vector<char>& flags, const std::vector<long>& quantities, long latest) {
    std::map<char, long> totals;
    for (std::size_t i = 0; i < flags.size(); i++) {
        if (quantities[i] <= latest) {
            totals[flags[i]] += quantities[i];
        }
    }
    return totals;
}
