#include <math.h>

void rmsnorm(float *o, const float *x, const float *weight, int size) {
    float ss = 0.0f;
    const float *p = x;
    for (const float *end = x + size; p != end; ++p) {
        ss += *p * *p;
    }
    float scale = 1.0f / sqrtf(ss / size + 1e-5f);
    while (size-- > 0) {
        *o++ = *weight++ * (scale * *x++);
    }
}
