#include <cmath>
#include <cstddef>
#include <vector>

/* linear interpolation */
std::vector<float> lerp(const std::vector<float> &a, const std::vector<float> &b, float t) {
    std::vector<float> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out.push_back(a[i] + t * (b[i] - a[i]));
    }
    return out;
}
