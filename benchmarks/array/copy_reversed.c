/* dst is src from its end */
void copy(float *dst, const float *src, int n) {
    for (int i = 0; i < n; i++) {
        dst[n - 1 - i] = src[i];
    }
}
