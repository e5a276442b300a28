double sample_variance(const double *x, int n)
{
    double mean = 0.0, m2 = 0.0;
    int i;
    for (i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (i = 0; i < n; i++)
        m2 += (x[i] - mean) * (x[i] - mean);
    return m2 / (n - 1);
}
