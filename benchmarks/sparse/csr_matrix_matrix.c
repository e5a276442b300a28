/* C = A B, A in CSR, B and C dense by rows. */
void csr_matmat(int m, int k, const int *pos, const int *crd, const double *vals, const double *b, double *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int p = pos[i]; p < pos[i + 1]; p++)
                sum += vals[p] * b[crd[p] * k + j];
            c[i * k + j] = sum;
        }
}

/* The same by rows of B. */
void csr_matmat_rows(int m, int k, const int *pos, const int *crd, const double *vals, const double *b, double *c) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < k; j++)
            c[i * k + j] = 0;
        for (int p = pos[i]; p < pos[i + 1]; p++)
            for (int j = 0; j < k; j++)
                c[i * k + j] += vals[p] * b[crd[p] * k + j];
    }
}
