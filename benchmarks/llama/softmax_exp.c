#include <math.h>

/* softmax, second step: the exponential of each score's distance from the greatest */
void softmax_exp(float *out, const float *x, int size, float max_val) {
    for (int i = 0; i < size; i++) {
        out[i] = expf(x[i] - max_val);
    }
}
