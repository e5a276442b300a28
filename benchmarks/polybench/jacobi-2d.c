/* means of five neighbours: in each step the inner cells of B from A, then those of A from B */
#define N 30

void kernel_jacobi_2d(int tsteps, double A[N][N], double B[N][N]) {
    int t, i, j;

#pragma scop
    for (t = 0; t < tsteps; t++) {
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
    }
#pragma endscop
}
