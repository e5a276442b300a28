#include <math.h>

void batchnorm(const float *x, float *y, const float *mean, const float *var, const float *gamma, const float *beta,
               int n, int c, float eps)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < c; j++)
            y[i * c + j] = gamma[j] * (x[i * c + j] - mean[j]) / sqrtf(var[j] + eps) + beta[j];
}
