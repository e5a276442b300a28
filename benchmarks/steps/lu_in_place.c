/* A = L U without pivoting: U replaces the upper triangle, the factors of L what is below it */
void lu_in_place(float *a, int n) {
    int i, j, k;

    for (k = 0; k < n; k++) {
        for (i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
}
