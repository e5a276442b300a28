#include <vector>

std::vector<double> discounted(const std::vector<double> &prices, double least) {
    std::vector<double> kept;
    for (double price : prices)
        if (price >= least)
            kept.push_back(price * 0.9);
    return kept;
}
