/* a * m + b */
void weighted_sum(const int *a, const int *b, int m, int *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = a[i] * m + b[i];
    }
}
