void log_value(float x);

void f(float *x, int n) {
    for (int i = 0; i < n; i++) {
        log_value(x[i]); // UNSUPPORTED: log_value
        x[i] = 0;
    }
}
