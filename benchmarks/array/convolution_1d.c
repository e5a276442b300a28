/* 1-D convolution over all positions where the kernel fits */
void convolution_1d(const float *x, int n, const float *w, int k, float *y) {
    for (int i = 0; i <= n - k; i++) {
        float sum = 0;
        for (int j = 0; j < k; j++) {
            sum += x[i + j] * w[j];
        }
        y[i] = sum;
    }
}
