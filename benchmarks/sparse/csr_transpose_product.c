/* y = A^T x, A in CSR. */
void csr_transpose_matvec(int m, int n, const int *pos, const int *crd, const double *vals, const double *x, double *y) {
    for (int j = 0; j < n; j++)
        y[j] = 0;
    for (int i = 0; i < m; i++) {
        double xi = x[i];
        for (int p = pos[i]; p < pos[i + 1]; p++)
            y[crd[p]] += xi * vals[p];
    }
}
