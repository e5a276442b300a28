#include <cmath>
#include <cstddef>
#include <vector>

/* (t - p)^2 */
std::vector<float> squared_error(const std::vector<float> &t, const std::vector<float> &p) {
    std::vector<float> out;
    for (std::size_t i = 0; i < t.size(); ++i) {
        out.push_back((t[i] - p[i]) * (t[i] - p[i]));
    }
    return out;
}
