void matvec(const float *a, const float *x, float *y, int n, int k)
{
    for (int i = 0; i < n; i++) {
        float acc = 0.0f;
        for (int j = 0; j < k; j++)
            acc += a[i * k + j] * x[j];
        y[i] = acc;
    }
}
