/* Images turned over, read backwards row by row, and a vector scaled to length one unless it is zero. */
#include <math.h>
#include <string.h>

void flip_vertical(int h, int w, const float *in, float *out)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[(h - 1 - y) * w + x];
}

void flip_by_rows(int h, int w, const float *in, float *out)
{
    for (int y = 0; y < h; y++)
        memcpy(out + y * w, in + (h - 1 - y) * w, w * sizeof(float));
}

void turn_around(int h, int w, const float *in, float *out)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[(h - 1 - y) * w + (w - 1 - x)];
}

void normalize(int n, float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    if (sum > 0.0f) {
        float scale = 1.0f / sqrtf(sum);
        for (int i = 0; i < n; i++)
            x[i] *= scale;
    }
}
