/* C = C + A B, A in CSC with k columns, B and C dense by rows: the same loops are C = C + A^T B for A in CSR with k rows. */
void csc_matmat(int k, int n, const int *pos, const int *crd, const double *vals, const double *b, double *c) {
    for (int l = 0; l < k; l++)
        for (int p = pos[l]; p < pos[l + 1]; p++)
            for (int j = 0; j < n; j++)
                c[crd[p] * n + j] += vals[p] * b[l * n + j];
}
