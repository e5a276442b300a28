void matmul(const double *a, const double *b, double *c, int n, int m, int k)
{
    int i, j, p;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            double s = 0.0;
            for (p = 0; p < k; p++)
                s += a[i * k + p] * b[p * m + j];
            c[i * m + j] = s;
        }
    }
}
