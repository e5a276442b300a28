#include <stdint.h>

void matmul_full(int32_t *c, const int8_t *a, const int8_t *b, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t acc = 0;
            for (int l = 0; l < k; l++)
                acc += a[i * k + l] * b[l * n + j];
            c[i * n + j] = acc;
        }
}
