void matmul(const double *a, const double *b, double *c, int n, int m, int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double s = 0;
            for (int p = 0; p < k; p++)
                s += a[i * k + p] * b[p * m + j];
            c[i * m + j] = s;
        }
}

void matmul_ikj(const double *a, const double *b, double *c, int n, int m, int k)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            c[i * m + j] = 0;
        for (int p = 0; p < k; p++) {
            double t = a[i * k + p];
            for (int j = 0; j < m; j++)
                c[i * m + j] += t * b[p * m + j];
        }
    }
}

void matmul_ikj_accumulating(const double *a, const double *b, double *c, int n, int m, int k)
{
    for (int i = 0; i < n; i++)
        for (int p = 0; p < k; p++) {
            double t = a[i * k + p];
            for (int j = 0; j < m; j++)
                c[i * m + j] += t * b[p * m + j];
        }
}
