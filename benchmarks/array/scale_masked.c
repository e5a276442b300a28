/* four at a time up to n & ~3, then the rest, in place */
void scale(float *x, float a, int n) {
    int i;
    for (i = 0; i < (n & ~3); i += 4) {
        x[i] *= a;
        x[i + 1] *= a;
        x[i + 2] *= a;
        x[i + 3] *= a;
    }
    for (; i < n; i++) {
        x[i] *= a;
    }
}
