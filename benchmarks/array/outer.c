/* the outer product of x and y */
void outer(const float *x, const float *y, float *out, int m, int n) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = x[i] * y[j];
}
