int dot(const int *x, const int *y, int n) {
    int acc = 0;
    for (int i = 0; i < n; i++) {
        acc += x[i] * y[i];
    }
    return acc;
}
