/* y = A x, A is m by n, its rows are lda apart */
void gemv(int m, int n, const float *A, int lda, const float *x, float *y) {
    for (int i = 0; i < m; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++) {
            sum += A[i * lda + j] * x[j];
        }
        y[i] = sum;
    }
}
