#include <cstddef>
#include <vector>

/* normal blend of floats: o*a + (1-o)*b */
std::vector<float> normal_f(const std::vector<float> &base, const std::vector<float> &active, float opacity) {
    std::vector<float> out(base.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = opacity * active[i] + (1.0f - opacity) * base[i];
    }
    return out;
}
