void jacobi2d_step(int n, const double *A, double *B)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            B[i*n + j] = 0.2 * (A[i*n + j] + A[i*n + j-1] + A[i*n + 1+j] + A[(1+i)*n + j] + A[(i-1)*n + j]);
}
