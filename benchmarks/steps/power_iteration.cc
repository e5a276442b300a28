#include <cmath>
#include <cstddef>
#include <vector>

/* the greatest eigenvalue of a matrix, row-major; x starts as any vector and becomes the eigenvector */
double power_iteration(const std::vector<double> &a, std::vector<double> &x, int rounds) {
    const std::size_t n = x.size();
    std::vector<double> y(n);
    double norm = 0.0;
    for (int round = 0; round < rounds; round++) {
        double square = 0.0;
        for (std::size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (std::size_t j = 0; j < n; j++) {
                sum += a[i * n + j] * x[j];
            }
            y[i] = sum;
            square += sum * sum;
        }
        norm = std::sqrt(square);
        for (std::size_t i = 0; i < n; i++) {
            x[i] = y[i] / norm;
        }
    }
    return norm;
}
