/* y = A x, A is m by n, row-major; the sum is kept in y itself */
void gemv(int m, int n, const double *A, const double *x, double *y) {
    for (int i = 0; i < m; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            y[i] += A[i * n + j] * x[j];
        }
    }
}
