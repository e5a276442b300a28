#include <stdint.h>

/* C += A * B in 32 bits, rows of any length. */
void gemm(int32_t *c, const int8_t *a, const int8_t *b, int m, int n, int k, int lda, int ldb, int ldc) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t acc = c[i * ldc + j];
            for (int l = 0; l < k; l++)
                acc += a[i * lda + l] * b[l * ldb + j];
            c[i * ldc + j] = acc;
        }
}
