void diff(const double *x, double *d, int n)
{
    for (int i = 0; i + 1 < n; i++)
        d[i] = x[i + 1] - x[i];
}
