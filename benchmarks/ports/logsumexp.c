#include <math.h>

double logsumexp(const double *x, int n)
{
    double top = x[0], s = 0.0;
    for (int i = 1; i < n; i++)
        if (x[i] > top)
            top = x[i];
    for (int i = 0; i < n; i++)
        s += exp(x[i] - top);
    return top + log(s);
}
