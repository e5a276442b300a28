/* C = s A, A in CSR, C dense by rows. */
void csr_scale(int m, int n, const int *pos, const int *crd, const double *vals, double s, double *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = 0;
    for (int i = 0; i < m; i++)
        for (int p = pos[i]; p < pos[i + 1]; p++)
            c[i * n + crd[p]] += s * vals[p];
}
