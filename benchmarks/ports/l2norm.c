#include <math.h>

double l2norm(const double *x, int n)
{
    double s = 0.0;
    int i;
    for (i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}
