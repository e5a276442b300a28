#include <map>
#include <vector>

std::map<char, int> pricing_summary(const std::vector<char> &flags, const std::vector<int> &quantities, int latest) {
    std::map<char, int> totals;
    for (std::size_t i = 0; i < flags.size(); i++)
        if (quantities[i] <= latest)
            totals[flags[i]] += quantities[i];
    return totals;
}
