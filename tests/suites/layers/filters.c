void filter(int n, int t, const float *x, const float *h, float *y) { for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < t; k++) if (i - k >= 0) s += h[k] * x[i - k]; y[i] = s; } }
void filter_in_place(int n, int t, const float *x, const float *h, float *y) { for (int i = 0; i < n; i++) { y[i] = 0; for (int k = 0; k < t; k++) { if (k <= i) y[i] += h[k] * x[i - k]; } } }
