/* the sum of squares, the first half of RMSNorm */
float rmsnorm(const float *input, int size) {
    float ss = 0.0f;
    for (int i = 0; i < size; i++) {
        ss += input[i] * input[i];
    }
    return ss;
}
