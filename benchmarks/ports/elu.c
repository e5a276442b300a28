#include <math.h>

void elu(const double *x, double *y, int n, double alpha)
{
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0)
            y[i] = x[i];
        else
            y[i] = alpha * (exp(x[i]) - 1.0);
    }
}
