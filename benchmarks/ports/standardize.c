#include <math.h>

void standardize(const double *x, double *y, int n)
{
    double sum = 0, sq = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        sq += (x[i] - mean) * (x[i] - mean);
    double sd = sqrt(sq / (n - 1));
    for (int i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sd;
}
