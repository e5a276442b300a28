#include <math.h>

void deviation(const double *x, int n, double *out)
{
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    out[0] = s / n;
    out[1] = q / n - (s / n) * (s / n);
}

void deviation_split(const double *x, int n, double *out)
{
    double mean = 0, q = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        q += (x[i] - mean) * (x[i] - mean);
    out[0] = mean;
    out[1] = q / n;
}

void deviation_one_pass(const double *x, int n, double *out)
{
    double mean = 0, m2 = 0;
    for (int i = 0; i < n; i++) {
        double d = x[i] - mean;
        mean += d / (i + 1);
        m2 += d * d;
    }
    out[0] = mean;
    out[1] = m2 / n;
}
