/* out[i] = x[0] + ... + x[i] */
void prefix_sum(const int *x, int *out, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        out[i] = sum;
    }
}
