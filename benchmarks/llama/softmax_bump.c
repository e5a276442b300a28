#include <math.h>

/* softmax in place, on pointers that move */
void softmax(float *x, int size) {
    float max_val = *x;
    for (float *p = x + 1; p < x + size; p++) {
        if (*p > max_val) max_val = *p;
    }
    float sum = 0.0f;
    for (float *p = x; p < x + size; p++) {
        *p = expf(*p - max_val);
        sum += *p;
    }
    for (float *p = x; p < x + size; p++) {
        *p /= sum;
    }
}
