/* FIR filter: each output from the inputs up to its own */
void fir(const float *x, const float *h, float *y, int n, int taps) {
    for (int i = 0; i < n; i++) {
        y[i] = 0.0f;
        for (int k = 0; k < taps; k++) {
            y[i] += h[k] * x[i + taps - 1 - k];
        }
    }
}
