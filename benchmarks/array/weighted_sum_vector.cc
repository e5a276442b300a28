#include <cmath>
#include <cstddef>
#include <vector>

/* a*m + b */
std::vector<float> weighted_sum(const std::vector<float> &a, const std::vector<float> &b, float m) {
    std::vector<float> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out.push_back(a[i] * m + b[i]);
    }
    return out;
}
