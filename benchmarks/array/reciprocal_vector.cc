#include <cmath>
#include <cstddef>
#include <vector>

/* 1 / a */
std::vector<float> reciprocal(const std::vector<float> &a) {
    std::vector<float> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out.push_back(1.0f / a[i]);
    }
    return out;
}
