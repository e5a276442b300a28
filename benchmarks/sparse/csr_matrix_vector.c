/* y = A x and y += A x, A in CSR. */
void csr_matvec(int m, const int *pos, const int *crd, const double *vals, const double *x, double *y) {
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int p = pos[i]; p < pos[i + 1]; p++)
            sum += vals[p] * x[crd[p]];
        y[i] = sum;
    }
}

void csr_matvec_add(int m, const int *pos, const int *crd, const double *vals, const double *x, double *y) {
    for (int i = 0; i < m; i++)
        for (int p = pos[i]; p < pos[i + 1]; p++)
            y[i] += vals[p] * x[crd[p]];
}

void csr_matvec_float(int m, const int *pos, const int *crd, const float *vals, const float *x, float alpha, float *y) {
    for (int i = 0; i < m; i++) {
        float sum = 0.0f;
        int end = pos[i + 1];
        for (int p = pos[i]; p < end; ++p)
            sum += vals[p] * x[crd[p]];
        y[i] = alpha * sum;
    }
}
