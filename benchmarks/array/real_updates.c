/* d = c + a * b */
void real_updates(const int *a, const int *b, const int *c, int *d, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = c[i] + a[i] * b[i];
    }
}
