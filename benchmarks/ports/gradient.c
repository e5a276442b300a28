void gradient(const double *f, double *g, int n, double h)
{
    g[0] = (f[1] - f[0]) / h;
    for (int i = 1; i < n - 1; i++)
        g[i] = (f[i + 1] - f[i - 1]) / (2 * h);
    g[n - 1] = (f[n - 1] - f[n - 2]) / h;
}
