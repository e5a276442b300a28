/* Numbers rounded as C rounds them, and quantised to bytes. */
#include <math.h>
#include <stdint.h>

void quantize(int n, const float *x, float scale, int8_t *q)
{
    for (int i = 0; i < n; i++) {
        float v = roundf(x[i] / scale);
        if (v > 127)
            v = 127;
        if (v < -128)
            v = -128;
        q[i] = (int8_t)v;
    }
}

void to_fixed_point(int n, const float *x, float scale, int16_t *y)
{
    for (int i = 0; i < n; i++) {
        long v = lroundf(x[i] * scale);
        y[i] = v > 32767 ? 32767 : v < -32768 ? -32768 : v;
    }
}

void to_even(int n, const double *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (int)lrint(x[i]);
}
