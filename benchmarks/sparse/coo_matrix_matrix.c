/* C = C + A B, A in COO, B and C dense by rows. */
void coo_matmat(int n, int nnz, const int *row, const int *col, const double *vals, const double *b, double *c) {
    for (int p = 0; p < nnz; p++)
        for (int j = 0; j < n; j++)
            c[row[p] * n + j] += vals[p] * b[col[p] * n + j];
}

/* C = A B */
void coo_matmat_from_zero(int m, int n, int nnz, const int *row, const int *col, const double *vals, const double *b, double *c) {
    for (int i = 0; i < m * n; i++)
        c[i] = 0;
    for (int p = 0; p < nnz; p++)
        for (int j = 0; j < n; j++)
            c[row[p] * n + j] += vals[p] * b[col[p] * n + j];
}

/* C = C + A, A in COO, C dense by rows. */
void coo_to_dense(int n, int nnz, const int *row, const int *col, const double *vals, double *c) {
    for (int p = 0; p < nnz; p++)
        c[row[p] * n + col[p]] += vals[p];
}
