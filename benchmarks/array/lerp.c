/* linear interpolation */
void lerp(const float *a, const float *b, float t, float *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = a[i] + t * (b[i] - a[i]);
    }
}
