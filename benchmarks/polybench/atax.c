/* a matrix, transposed, times its product with a vector: y = A' (A x) */
#define M 38
#define N 42

void kernel_atax(double A[M][N], double x[N], double y[N], double tmp[M]) {
    int i, j;

#pragma scop
    for (i = 0; i < N; i++)
        y[i] = 0;
    for (i = 0; i < M; i++) {
        tmp[i] = 0.0;
        for (j = 0; j < N; j++)
            tmp[i] = tmp[i] + A[i][j] * x[j];
        for (j = 0; j < N; j++)
            y[j] = y[j] + A[i][j] * tmp[i];
    }
#pragma endscop
}
