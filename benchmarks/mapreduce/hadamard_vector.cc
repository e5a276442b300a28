#include <vector>

std::vector<int> hadamard(const std::vector<int> &x, const std::vector<int> &y) {
    std::vector<int> product;
    for (std::size_t i = 0; i < x.size(); i++)
        product.push_back(x[i] * y[i]);
    return product;
}
