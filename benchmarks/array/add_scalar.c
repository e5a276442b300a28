/* a += s */
void add_scalar(float *a, float s, int n) {
    for (int i = 0; i < n; i++) {
        a[i] += s;
    }
}
