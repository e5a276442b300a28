/* successive over-relaxation for a Poisson equation on a grid with spacing h; the rim is given */
void successive_relaxation(float *u, const float *f, int n, int m, float h, float omega, int sweeps) {
    int s, i, j;

    for (s = 0; s < sweeps; s++) {
        for (i = 1; i < n - 1; i++) {
            for (j = 1; j < m - 1; j++) {
                float around = u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1];
                float relaxed = 0.25f * (around - h * h * f[i * m + j]);
                u[i * m + j] += omega * (relaxed - u[i * m + j]);
            }
        }
    }
}
