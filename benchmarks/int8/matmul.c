#include <stdint.h>

static int8_t saturate(int32_t x) {
    return x > 127 ? 127 : x < -128 ? -128 : (int8_t)x;
}

void matmul(int8_t *c, const int8_t *a, const int8_t *b, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t acc = 0;
            for (int l = 0; l < k; l++)
                acc += (int32_t)a[i * k + l] * (int32_t)b[l * n + j];
            c[i * n + j] = saturate(acc);
        }
}
