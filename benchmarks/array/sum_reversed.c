/* from the last to the first */
float sum(const float *x, int n) {
    float s = 0;
    for (int i = n - 1; i >= 0; i--) {
        s += x[i];
    }
    return s;
}
