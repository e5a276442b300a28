/* the solution x of L x = b, L lower triangular, from the first row down */
#define N 40

void kernel_trisolv(double L[N][N], double x[N], double b[N]) {
    int i, j;

#pragma scop
    for (i = 0; i < N; i++) {
        x[i] = b[i];
        for (j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
#pragma endscop
}
