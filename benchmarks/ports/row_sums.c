void row_sums(const double *a, double *s, int n, int m)
{
    int i, j;
    for (i = 0; i < n; i++)
        s[i] = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            s[i] += a[i * m + j];
}
