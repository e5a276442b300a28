/* n >= 1 */
float maximum(const float *a, int n) {
    float best = a[0];
    for (int i = 1; i < n; i++) {
        if (a[i] > best) {
            best = a[i];
        }
    }
    return best;
}
