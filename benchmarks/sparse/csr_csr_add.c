/* C = A + B, A and B in CSR, C dense by rows. */
void csr_add_csr(int m, int n, const int *pos_a, const int *crd_a, const double *a, const int *pos_b, const int *crd_b,
                 const double *b, double *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = 0;
    for (int i = 0; i < m; i++)
        for (int p = pos_a[i]; p < pos_a[i + 1]; p++)
            c[i * n + crd_a[p]] += a[p];
    for (int i = 0; i < m; i++)
        for (int q = pos_b[i]; q < pos_b[i + 1]; q++)
            c[i * n + crd_b[q]] += b[q];
}
