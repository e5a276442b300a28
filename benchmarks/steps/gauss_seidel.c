/* sweeps over A x = b that use new components at once; A is n by n, row-major */
void gauss_seidel(const double *A, const double *b, double *x, int n, int sweeps) {
    for (int s = 0; s < sweeps; s++) {
        for (int i = 0; i < n; i++) {
            double sum = b[i];
            for (int j = 0; j < n; j++) {
                if (j != i) sum -= A[i * n + j] * x[j];
            }
            x[i] = sum / A[i * n + i];
        }
    }
}
