#include <cstddef>
#include <vector>

using Matrix = std::vector<std::vector<float>>;

Matrix matmul(const Matrix &a, const Matrix &b) {
    const std::size_t n = a.size(), m = b[0].size(), k = b.size();
    Matrix c(n, std::vector<float>(m, 0.0f));
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < m; j++) {
            for (std::size_t l = 0; l < k; l++) {
                c[i][j] += a[i][l] * b[l][j];
            }
        }
    }
    return c;
}
