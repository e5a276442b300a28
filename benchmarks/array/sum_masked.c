/* four at a time up to n & ~3, then the rest */
float sum(const float *x, int n) {
    float s = 0;
    int m = n & ~3;
    int i;
    for (i = 0; i < m; i += 4) {
        s += x[i];
        s += x[i + 1];
        s += x[i + 2];
        s += x[i + 3];
    }
    for (; i < n; i++) {
        s += x[i];
    }
    return s;
}
