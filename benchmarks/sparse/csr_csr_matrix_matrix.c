/* C = A B, A and B in CSR, C dense by rows, which is added to. */
void csr_matmat_csr(int m, int n, const int *pos_a, const int *crd_a, const double *a, const int *pos_b, const int *crd_b,
                    const double *b, double *c) {
    for (int i = 0; i < m; i++)
        for (int p = pos_a[i]; p < pos_a[i + 1]; p++)
            for (int q = pos_b[crd_a[p]]; q < pos_b[crd_a[p] + 1]; q++)
                c[i * n + crd_b[q]] += a[p] * b[q];
}
