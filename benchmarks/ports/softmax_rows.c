#include <math.h>

void softmax_rows(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float top = x[i * n];
        float sum = 0.0f;
        for (int j = 1; j < n; j++)
            top = x[i * n + j] > top ? x[i * n + j] : top;
        for (int j = 0; j < n; j++) {
            y[i * n + j] = expf(x[i * n + j] - top);
            sum += y[i * n + j];
        }
        for (int j = 0; j < n; j++)
            y[i * n + j] /= sum;
    }
}
