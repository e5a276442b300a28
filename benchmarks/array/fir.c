/* one output of a small FIR filter */
float fir(const float *input, const float *coefficient, int taps) {
    float sum = 0.0f;
    for (int i = 0; i < taps; ++i) {
        sum += input[i] * coefficient[taps - 1 - i];
    }
    return sum;
}
