#include <math.h>

void sigmoid(float *x, int n)
{
    int i;
    for (i = 0; i < n; i++)
        x[i] = 1.0f / (1.0f + expf(-x[i]));
}
