/* mean and variance from one pass */
void mean_variance(const float *x, int n, float *mean, float *variance) {
    float sum = 0.0f;
    float squares = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    *mean = sum / n;
    *variance = squares / n - (sum / n) * (sum / n);
}
