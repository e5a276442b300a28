#include <cmath>
#include <cstddef>
#include <vector>

/* a + s */
std::vector<float> offset(const std::vector<float> &a, float s) {
    std::vector<float> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out.push_back(a[i] + s);
    }
    return out;
}
