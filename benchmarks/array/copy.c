void copy(float *dst, const float *src, int n) {
    while (n-- > 0)
        *dst++ = *src++;
}
