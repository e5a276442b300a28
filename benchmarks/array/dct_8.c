#include <math.h>

/* 8-point DCT-II, not normalised */
void dct_8(const float *in, float *out) {
    for (int k = 0; k < 8; k++) {
        float sum = 0;
        for (int i = 0; i < 8; i++) {
            sum += in[i] * cosf((2 * i + 1) * k * 0.19634954f);
        }
        out[k] = sum;
    }
}
