#include <math.h>

void layernorm(float *out, const float *x, const float *weight, const float *bias, int n) {
    float mean = 0.0f;
    for (int i = 0; i < n; i++) mean += x[i];
    mean /= n;
    float variance = 0.0f;
    for (int i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean);
    variance /= n;
    float scale = 1.0f / sqrtf(variance + 1e-5f);
    for (int i = 0; i < n; i++) out[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}
