#include <cstddef>
#include <vector>

/* y = A x */
void gemv(const std::vector<std::vector<float>> &A, const std::vector<float> &x, std::vector<float> &y) {
    for (std::size_t i = 0; i < A.size(); i++) {
        float sum = 0.0f;
        for (std::size_t j = 0; j < x.size(); j++) {
            sum += A[i][j] * x[j];
        }
        y[i] = sum;
    }
}
