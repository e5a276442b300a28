/* C += alpha A' B */
void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float *C, int ldc) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float part = alpha * A[k * lda + i];
            for (int j = 0; j < N; ++j) {
                C[i * ldc + j] += part * B[k * ldb + j];
            }
        }
    }
}
