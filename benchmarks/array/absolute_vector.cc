#include <cmath>
#include <cstddef>
#include <vector>

/* the absolute values */
std::vector<float> absolute(const std::vector<float> &a) {
    std::vector<float> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out.push_back(std::fabs(a[i]));
    }
    return out;
}
