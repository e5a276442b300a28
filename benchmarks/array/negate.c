void negate(const int *a, int *out, int n) {
    for (int i = 0; i < n; i++)
        out[i] = -a[i];
}
