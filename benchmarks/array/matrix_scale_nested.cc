#include <vector>

/* m *= s */
void matrix_scale(std::vector<std::vector<float>> &m, float s) {
    for (auto &row : m) {
        for (auto &v : row) {
            v *= s;
        }
    }
}
