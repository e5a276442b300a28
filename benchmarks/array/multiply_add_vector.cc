#include <cstddef>
#include <vector>

/* z += x*y */
void multiply_add(std::vector<float> &z, const std::vector<float> &x, const std::vector<float> &y) {
    for (std::size_t i = 0; i < z.size(); i++) {
        z.at(i) += x.at(i) * y.at(i);
    }
}
