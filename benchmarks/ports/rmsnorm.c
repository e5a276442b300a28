#include <math.h>

void rmsnorm(float *o, const float *x, const float *weight, int n, float eps)
{
    float ss = 0.0f;
    for (int j = 0; j < n; j++)
        ss += x[j] * x[j];
    ss /= n;
    ss += eps;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < n; j++)
        o[j] = weight[j] * (ss * x[j]);
}
