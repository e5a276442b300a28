void laplacian(const double *u, double *out, int n, double dx)
{
    out[0] = 0;
    out[n - 1] = 0;
    for (int i = 1; i < n - 1; i++)
        out[i] = (u[i - 1] - 2 * u[i] + u[i + 1]) / (dx * dx);
}
