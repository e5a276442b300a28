#include <cstddef>
#include <vector>

double discounted_revenue(const std::vector<double>& prices, const std::vector<double>& discounts, double low, double high) {
    double revenue = 0;
    for (std::size_t i = 0; i < prices.size(); i++) {
        if (discounts[i] >= low && discounts[i] <= high) {
            revenue += prices[i] * discounts[i];
        }
    }
    return revenue;
}
