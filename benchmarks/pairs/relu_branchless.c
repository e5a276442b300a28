#include <math.h>

void relu(float *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            x[i] = 0;
}

void relu_branchless(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = fmaxf(x[i], 0.0f);
}

void clamp(float *x, int n, float lo, float hi)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > hi)
            x[i] = hi;
        else if (x[i] < lo)
            x[i] = lo;
    }
}

void clamp_branchless(float *x, int n, float lo, float hi)
{
    for (int i = 0; i < n; i++)
        x[i] = fmaxf(fminf(x[i], lo), hi);
}
