#include <math.h>

void softplus(const double *x, double *y, int n, double beta)
{
    int i;
    for (i = 0; i < n; ++i)
        y[i] = log(1.0 + exp(beta * x[i])) / beta;
}
