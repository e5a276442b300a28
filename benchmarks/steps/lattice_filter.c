/* prediction error by a lattice; k = reflection coefficients, back = what each stage keeps of the last sample */
void lattice_filter(const float *x, float *err, int n, const float *k, float *back, int order) {
    for (int i = 0; i < n; i++) {
        float f = x[i];
        float g = x[i];
        for (int m = 0; m < order; m++) {
            float delayed = back[m];
            float next_f = f + k[m] * delayed;
            float next_g = delayed + k[m] * f;
            back[m] = g;
            f = next_f;
            g = next_g;
        }
        err[i] = f;
    }
}
