#include <cstddef>
#include <vector>

using Image = std::vector<std::vector<int>>;

/* linear dodge, into the base: a + b */
void linear_dodge(Image &base, const Image &active) {
    for (std::size_t y = 0; y < base.size(); ++y) {
        for (std::size_t x = 0; x < base[y].size(); ++x) {
            base[y][x] += active[y][x];
        }
    }
}
