/* C += A B, by columns of C and of B */
void gemm_jki(const float *A, const float *B, float *C, int n, int m, int p) {
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < p; k++) {
            for (int i = 0; i < n; i++) {
                C[i * m + j] += A[i * p + k] * B[k * m + j];
            }
        }
    }
}
