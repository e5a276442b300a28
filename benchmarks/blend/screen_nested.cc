#include <cstddef>
#include <cstdint>
#include <vector>

/* screen on bytes: a + b - a*b/255 */
std::vector<std::vector<std::uint8_t>> screen(const std::vector<std::vector<std::uint8_t>> &base,
                                              const std::vector<std::vector<std::uint8_t>> &active) {
    const std::size_t rows = base.size();
    const std::size_t cols = rows ? base[0].size() : 0;
    std::vector<std::vector<std::uint8_t>> out(rows, std::vector<std::uint8_t>(cols));
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) {
            const int b = base[i][j];
            const int a = active[i][j];
            out[i][j] = static_cast<std::uint8_t>(a + b - a * b / 255);
        }
    }
    return out;
}
