/* x[i] = x[0] + ... + x[i] */
void prefix_sum(float *x, int n) {
    for (int i = 1; i < n; i++) {
        x[i] += x[i - 1];
    }
}
