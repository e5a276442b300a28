/* S = A * (B C^T) by elements, A in CSR, all others dense by rows: only cells that A has are computed. */
void csr_sddmm(int m, int n, int k, const int *pos, const int *crd, const double *vals, const double *b, const double *c, double *s) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = 0;
    for (int i = 0; i < m; i++)
        for (int p = pos[i]; p < pos[i + 1]; p++) {
            double dot = 0;
            for (int l = 0; l < k; l++)
                dot += b[i * k + l] * c[crd[p] * k + l];
            s[i * n + crd[p]] += vals[p] * dot;
        }
}
