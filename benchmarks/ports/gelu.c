#include <math.h>

#define SQRT_2_OVER_PI 0.7978845608f

void gelu(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float v = x[i];
        float cube = 0.044715f * v * v * v;
        y[i] = 0.5f * v * (1.0f + tanhf(SQRT_2_OVER_PI * (v + cube)));
    }
}
