/* y = A x, A in COO. */
void coo_matvec(int m, int nnz, const int *row, const int *col, const double *vals, const double *x, double *y) {
    for (int i = 0; i < m; i++)
        y[i] = 0;
    for (int p = 0; p < nnz; p++)
        y[row[p]] += vals[p] * x[col[p]];
}
