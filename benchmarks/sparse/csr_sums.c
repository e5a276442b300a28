/* Row and column sums of A in CSR, and the sum of all of it. */
void csr_row_sums(int m, int n, const int *pos, const int *crd, const double *vals, double *y) {
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int p = pos[i]; p < pos[i + 1]; p++)
            sum += vals[p];
        y[i] = sum;
    }
}

void csr_column_sums(int m, int n, const int *pos, const int *crd, const double *vals, double *y) {
    for (int j = 0; j < n; j++)
        y[j] = 0;
    for (int i = 0; i < m; i++)
        for (int p = pos[i]; p < pos[i + 1]; p++)
            y[crd[p]] += vals[p];
}
