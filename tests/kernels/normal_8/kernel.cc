#include <cstddef>
#include <vector>

/* normal blend, opacity in 255ths, not normalised: o*a + (255-o)*b */
std::vector<int> normal_8(const std::vector<int> &base, const std::vector<int> &active, int opacity) {
    std::vector<int> out;
    for (std::size_t i = 0; i < base.size(); i++) {
        out.push_back(opacity * active[i] + (255 - opacity) * base[i]);
    }
    return out;
}
