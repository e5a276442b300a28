#include <math.h>

double mean_abs_error(const double *a, const double *b, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += fabs(a[i] - b[i]);
    return total / n;
}
