/* y += a x, the rest of the division by four first */
void axpy(int n, float a, const float *x, float *y) {
    int i, m;
    m = n % 4;
    for (i = 0; i < m; i++) {
        y[i] = y[i] + a * x[i];
    }
    for (i = m; i < n; i = i + 4) {
        y[i] = y[i] + a * x[i];
        y[i + 1] = y[i + 1] + a * x[i + 1];
        y[i + 2] = y[i + 2] + a * x[i + 2];
        y[i + 3] = y[i + 3] + a * x[i + 3];
    }
}
