/* Filters of a signal, with their windows in a second loop. */

/* A filter: out has n elements, x has n + taps - 1. */
void fir(float *out, const float *x, const float *h, int n, int taps) {
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < taps; j++)
            sum += h[j] * x[i + j];
        out[i] = sum;
    }
}

/* The same, for a signal of n elements: the last windows are left out. */
void valid(float *out, const float *x, const float *h, int n, int taps) {
    for (int i = 0; i + taps <= n; i++) {
        out[i] = 0.0f;
        for (int j = 0; j < taps; j++)
            out[i] += x[i + j] * h[j];
    }
}

/* A layer of a network: filter, add a residual, rectify. */
void layer(float *out, const float *x, const float *h, const float *residual, int n, int taps) {
    for (int i = 0; i < n; i++) {
        float sum = residual[i];
        for (int j = 0; j < taps; j++)
            sum += x[i + j] * h[j];
        out[i] = sum > 0.0f ? sum : 0.0f;
    }
}
