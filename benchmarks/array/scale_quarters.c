/* n / 4 times four elements, then the rest, in place */
void scale(float *x, float a, int n) {
    int quarters = n / 4;
    for (int k = 0; k < quarters; k++) {
        x[4 * k] *= a;
        x[4 * k + 1] *= a;
        x[4 * k + 2] *= a;
        x[4 * k + 3] *= a;
    }
    for (int i = 4 * quarters; i < n; i++) {
        x[i] *= a;
    }
}
