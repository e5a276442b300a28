/* a * m + b */
void weighted_sum(const float *a, const float *b, float m, float *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = a[i] * m + b[i];
    }
}
