/* four at a time, then the rest */
float dot(const float *a, const float *b, int n) {
    float sum = 0.0f;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        sum += a[i] * b[i];
        sum += a[i + 1] * b[i + 1];
        sum += a[i + 2] * b[i + 2];
        sum += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}
