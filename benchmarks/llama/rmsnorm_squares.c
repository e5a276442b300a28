/* the first half of rmsnorm: the sum of squares */
float rmsnorm_squares(const float *x, int size) {
    float ss = 0.0f;
    for (int j = 0; j < size; j++) {
        ss += x[j] * x[j];
    }
    return ss;
}
