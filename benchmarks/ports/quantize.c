#include <math.h>
#include <stdint.h>

void quantize(const float *x, int8_t *q, int n, float scale)
{
    for (int i = 0; i < n; i++) {
        float v = floorf(x[i] / scale);
        if (v > 127.0f) v = 127.0f;
        if (v < -128.0f) v = -128.0f;
        q[i] = (int8_t)v;
    }
}
