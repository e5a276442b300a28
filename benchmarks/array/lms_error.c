/* the desired value less the filter's output */
float lms_error(const float *c, const float *x, float desired, int n) {
    float y = 0.0f;
    for (int i = 0; i < n; i++) {
        y += c[i] * x[i];
    }
    return desired - y;
}
