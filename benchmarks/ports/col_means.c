void col_means(const double *a, double *mean, int n, int m)
{
    for (int j = 0; j < m; j++) {
        double s = 0;
        for (int i = 0; i < n; i++)
            s += a[i * m + j];
        mean[j] = s / n;
    }
}
