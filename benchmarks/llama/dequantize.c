#include <stdint.h>

/* floats of int8, each with its group's scale */
void dequantize(float *x, const int8_t *q, const float *s, int n, int GS) {
    for (int i = 0; i < n; i++) {
        x[i] = q[i] * s[i / GS];
    }
}
