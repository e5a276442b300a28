void outer_update(double *a, const double *x, const double *y, int n, int m, double alpha)
{
    for (int i = 0; i < n; i++) {
        double t = alpha * x[i];
        for (int j = 0; j < m; j++)
            a[i * m + j] += t * y[j];
    }
}
