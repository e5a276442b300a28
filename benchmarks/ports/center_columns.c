void center_columns(double *a, int n, int m)
{
    for (int j = 0; j < m; j++) {
        double mean = 0;
        for (int i = 0; i < n; i++)
            mean += a[i * m + j];
        mean /= n;
        for (int i = 0; i < n; i++)
            a[i * m + j] -= mean;
    }
}
