#include <cstddef>
#include <vector>

using Matrix = std::vector<std::vector<float>>;

/* C += A B */
void gemm(const Matrix &A, const Matrix &B, Matrix &C) {
    for (std::size_t i = 0; i < A.size(); i++) {
        for (std::size_t j = 0; j < B[0].size(); j++) {
            float sum = C[i][j];
            for (std::size_t k = 0; k < B.size(); k++) {
                sum += A[i][k] * B[k][j];
            }
            C[i][j] = sum;
        }
    }
}
