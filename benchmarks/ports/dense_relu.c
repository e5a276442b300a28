void dense_relu(const float *x, const float *w, const float *b, float *y, int n, int k)
{
    for (int i = 0; i < n; i++) {
        float acc = b[i];
        for (int j = 0; j < k; j++)
            acc += w[i * k + j] * x[j];
        y[i] = acc > 0 ? acc : 0;
    }
}
