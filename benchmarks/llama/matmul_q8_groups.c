#include <stdint.h>

/* W x on int8 with a scale for each group; sums of a group are integers */
void matmul_q8(float *out, const int8_t *xq, const float *xs, const int8_t *wq, const float *ws, int groups, int d, int GS) {
    for (int i = 0; i < d; i++) {
        float val = 0.0f;
        for (int g = 0; g < groups; g++) {
            int32_t ival = 0;
            for (int k = 0; k < GS; k++) {
                ival += xq[g * GS + k] * wq[(i * groups + g) * GS + k];
            }
            val += (float)ival * ws[i * groups + g] * xs[g];
        }
        out[i] = val;
    }
}
