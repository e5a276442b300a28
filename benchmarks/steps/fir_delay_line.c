/* FIR filter, sample by sample: the newest sample enters at line[0], the others move up by one */
void fir_delay_line(const float *x, float *y, int n, const float *taps, float *line, int ntaps) {
    int i, j;

    for (i = 0; i < n; i++) {
        float acc = 0.0f;
        for (j = ntaps - 1; j > 0; j--)
            line[j] = line[j - 1];
        line[0] = x[i];
        for (j = 0; j < ntaps; j++)
            acc += taps[j] * line[j];
        y[i] = acc;
    }
}
