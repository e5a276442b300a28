/* y = A x, A in CSC: columns are added one after the other. */
void csc_matvec(int m, int n, const int *pos, const int *crd, const double *vals, const double *x, double *y) {
    for (int i = 0; i < m; i++)
        y[i] = 0;
    for (int j = 0; j < n; j++)
        for (int p = pos[j]; p < pos[j + 1]; p++)
            y[crd[p]] += vals[p] * x[j];
}
