void row_sums(const float *a, float *s, int n, int m)
{
    for (int i = 0; i < n; i++) {
        s[i] = 0;
        for (int j = 0; j < m; j++)
            s[i] += a[i * m + j];
    }
}

void row_sums_running(const float *a, float *s, int n, int m)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        float t = 0;
        for (int j = 0; j < m; j++)
            t += a[at++];
        s[i] = t;
    }
}

void row_sums_outside(const float *a, float *s, int n, int m)
{
    float t = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            t += a[i * m + j];
        s[i] = t;
    }
}
