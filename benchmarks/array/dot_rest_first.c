/* the rest of the division by four first */
float dot(const float *x, const float *y, int n) {
    float sum = 0;
    int m = n % 4;
    for (int i = 0; i < m; i++) {
        sum += x[i] * y[i];
    }
    for (int i = m; i < n; i += 4) {
        sum += x[i] * y[i] + x[i + 1] * y[i + 1] + x[i + 2] * y[i + 2] + x[i + 3] * y[i + 3];
    }
    return sum;
}
