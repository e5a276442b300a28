/* the greatest element, and the first place of it */
int argmax_value(const float *x, int n, float *value) {
    float best = x[0];
    int at = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] > best) {
            best = x[i];
            at = i;
        }
    }
    *value = best;
    return at;
}
