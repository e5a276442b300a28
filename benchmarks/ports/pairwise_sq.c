void pairwise_sq(const double *x, const double *y, double *out, int n, int m, int d)
{
    int i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) {
            double s = 0;
            for (k = 0; k < d; k++) {
                double t = x[i * d + k] - y[j * d + k];
                s += t * t;
            }
            out[i * m + j] = s;
        }
}
