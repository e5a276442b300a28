#include <cstddef>
#include <vector>

/* to += from */
void matrix_add_in_place(const std::vector<std::vector<float>> &from, std::vector<std::vector<float>> &to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        for (std::size_t j = 0; j < from[i].size(); ++j) {
            to[i][j] += from[i][j];
        }
    }
}
