void argmin_rows(const float *a, int *at, int n, int m)
{
    int i, j;
    for (i = 0; i < n; i++) {
        int best = 0;
        for (j = 1; j < m; j++)
            if (a[i * m + j] < a[i * m + best])
                best = j;
        at[i] = best;
    }
}
