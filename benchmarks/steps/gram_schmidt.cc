#include <cmath>
#include <cstddef>
#include <vector>

/* makes vectors orthonormal, one after the other (modified Gram-Schmidt) */
void gram_schmidt(std::vector<std::vector<double>> &q) {
    for (std::size_t k = 0; k < q.size(); k++) {
        double square = 0.0;
        for (std::size_t i = 0; i < q[k].size(); i++) {
            square += q[k][i] * q[k][i];
        }
        const double norm = std::sqrt(square);
        for (std::size_t i = 0; i < q[k].size(); i++) {
            q[k][i] /= norm;
        }
        for (std::size_t j = k + 1; j < q.size(); j++) {
            double along = 0.0;
            for (std::size_t i = 0; i < q[k].size(); i++) {
                along += q[k][i] * q[j][i];
            }
            for (std::size_t i = 0; i < q[k].size(); i++) {
                q[j][i] -= along * q[k][i];
            }
        }
    }
}
