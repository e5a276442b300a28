#include <cstddef>
#include <vector>

/* color dodge into out: 255 where a == 255, otherwise b / (255 - a) */
void color_dodge(std::vector<std::vector<int>> &out, const std::vector<std::vector<int>> &base,
                 const std::vector<std::vector<int>> &active) {
    for (std::size_t y = 0; y < out.size(); ++y) {
        const auto &b = base[y];
        const auto &a = active[y];
        auto &o = out[y];
        for (std::size_t x = 0; x < o.size(); ++x) {
            o[x] = a[x] == 255 ? 255 : b[x] / (255 - a[x]);
        }
    }
}
