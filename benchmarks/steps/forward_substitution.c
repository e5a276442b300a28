/* solves L y = b for a lower triangular L */
void forward_substitution(int n, const double L[n][n], const double b[n], double y[n]) {
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++) sum -= L[i][j] * y[j];
        y[i] = sum / L[i][i];
    }
}
