/* C = alpha A B + C, row-major, leading dimensions lda, ldb, ldc */
void gemm(int M, int N, int K, float alpha, float *A, int lda, float *B, int ldb, float *C, int ldc) {
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (k = 0; k < K; ++k) {
            float part = alpha * A[i * lda + k];
            for (j = 0; j < N; ++j) {
                C[i * ldc + j] += part * B[k * ldb + j];
            }
        }
    }
}
