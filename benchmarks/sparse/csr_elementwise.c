/* C = A + B and C = A * B by elements, A in CSR, B and C dense by rows. */
void csr_add(int m, int n, const int *pos, const int *crd, const double *vals, const double *b, double *c) {
    for (int i = 0; i < m * n; i++)
        c[i] = b[i];
    for (int i = 0; i < m; i++)
        for (int p = pos[i]; p < pos[i + 1]; p++)
            c[i * n + crd[p]] += vals[p];
}

void csr_multiply(int m, int n, const int *pos, const int *crd, const double *vals, const double *b, double *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = 0;
    for (int i = 0; i < m; i++)
        for (int p = pos[i]; p < pos[i + 1]; p++)
            c[i * n + crd[p]] += vals[p] * b[i * n + crd[p]];
}
