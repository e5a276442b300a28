void fir(const float *x, const float *taps, float *y, int n, int k)
{
    for (int i = 0; i + k <= n; i++) {
        float acc = 0;
        for (int j = 0; j < k; j++)
            acc += taps[j] * x[i + j];
        y[i] = acc;
    }
}
