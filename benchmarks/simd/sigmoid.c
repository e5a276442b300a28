#include <math.h>

/* 1 / (1 + exp(-x)) */
void sigmoid(float *out, const float *x, int n) {
    for (int i = 0; i < n; i++)
        out[i] = 1.0f / (1.0f + expf(-x[i]));
}
