#include <array>

using Vector3 = std::array<float, 3>;
using Matrix3 = std::array<std::array<float, 3>, 3>;

/* y = A x */
void matrix_vector_3(const Matrix3 &A, const Vector3 &x, Vector3 &y) {
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0f;
        for (int f = 0; f < 3; f++) {
            y[i] += A[i][f] * x[f];
        }
    }
}
