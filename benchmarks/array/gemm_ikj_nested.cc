#include <cstddef>
#include <vector>

using Matrix = std::vector<std::vector<float>>;

/* C += A B, with the innermost loop along the rows */
void gemm(const Matrix &A, const Matrix &B, Matrix &C) {
    for (std::size_t i = 0; i < A.size(); i++) {
        for (std::size_t k = 0; k < B.size(); k++) {
            const float a = A[i][k];
            for (std::size_t j = 0; j < B[k].size(); j++) {
                C[i][j] += a * B[k][j];
            }
        }
    }
}
