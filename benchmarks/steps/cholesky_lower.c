#include <math.h>

/* A = L L^T in place, row by row; only the lower triangle is read and written */
void cholesky_lower(double *a, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i == j)
                a[i * n + i] = sqrt(sum);
            else
                a[i * n + j] = sum / a[j * n + j];
        }
    }
}
