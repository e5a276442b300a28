/* C = alpha A B + beta C */
void gemm(int ni, int nj, int nk, float alpha, float beta, float *C, const float *A, const float *B) {
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++) {
            for (int j = 0; j < nj; j++)
                C[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
        }
    }
}
