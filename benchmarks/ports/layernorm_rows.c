#include <math.h>

void layernorm_rows(const float *x, float *y, const float *gamma, const float *beta, int rows, int cols, float eps)
{
    for (int r = 0; r < rows; r++) {
        const float *in = x + r * cols;
        float *out = y + r * cols;
        float mean = 0.0f, var = 0.0f;
        for (int c = 0; c < cols; c++)
            mean += in[c];
        mean /= cols;
        for (int c = 0; c < cols; c++)
            var += (in[c] - mean) * (in[c] - mean);
        var /= cols;
        float scale = 1.0f / sqrtf(var + eps);
        for (int c = 0; c < cols; c++)
            out[c] = (in[c] - mean) * scale * gamma[c] + beta[c];
    }
}
