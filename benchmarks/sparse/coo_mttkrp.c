/* A(i,r) += B(i,k,l) C(k,r) D(l,r), B in COO, all others dense by rows. */
void coo_mttkrp(int rank, int nnz, const int *row, const int *col, const int *deep, const double *vals,
                const double *c, const double *d, double *a) {
    for (int p = 0; p < nnz; p++)
        for (int r = 0; r < rank; r++)
            a[row[p] * rank + r] += vals[p] * c[col[p] * rank + r] * d[deep[p] * rank + r];
}
