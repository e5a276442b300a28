/* c += a b */
void gemm(float **a, float **b, float **c, int n, int m, int p) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < p; j++)
                c[i][j] += a[i][k] * b[k][j];
}
