/* D(i,r) = X(i,j,k) B(j,r) C(k,r), X in CSF with dense rows, all others dense by rows. */
void csf_mttkrp(int m, int rank, const int *pos, const int *crd, const int *pos_2, const int *crd_2, const double *vals,
                const double *b, const double *c, double *d) {
    for (int i = 0; i < m; i++)
        for (int r = 0; r < rank; r++) {
            double sum = 0;
            for (int p = pos[i]; p < pos[i + 1]; p++)
                for (int q = pos_2[p]; q < pos_2[p + 1]; q++)
                    sum += vals[q] * b[crd[p] * rank + r] * c[crd_2[q] * rank + r];
            d[i * rank + r] = sum;
        }
}
