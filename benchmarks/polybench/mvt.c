/* products of a matrix and of its transpose with a vector, added: x1 += A y1, x2 += A' y2 */
#define N 40

void kernel_mvt(double x1[N], double x2[N], double y1[N], double y2[N], double A[N][N]) {
    int i, j;

#pragma scop
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            x1[i] = x1[i] + A[i][j] * y1[j];
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            x2[i] = x2[i] + A[j][i] * y2[j];
#pragma endscop
}
