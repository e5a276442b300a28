#define AT(i, j, k) (((i) * ny + (j)) * nz + (k))

/* sound in a box: the step after u replaces the one before it, then both change places;
   after an odd number of steps the last one is in old */
void wave_box(float *u, float *old, int nx, int ny, int nz, int steps, float c2) {
    int t, i, j, k;

    for (t = 0; t < steps; t++) {
        float *swap;
        for (i = 1; i < nx - 1; i++) {
            for (j = 1; j < ny - 1; j++) {
                for (k = 1; k < nz - 1; k++) {
                    float around = u[AT(i - 1, j, k)] + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] + u[AT(i, j + 1, k)]
                                 + u[AT(i, j, k - 1)] + u[AT(i, j, k + 1)];
                    old[AT(i, j, k)] = 2.0f * u[AT(i, j, k)] - old[AT(i, j, k)] + c2 * (around - 6.0f * u[AT(i, j, k)]);
                }
            }
        }
        swap = u;
        u = old;
        old = swap;
    }
}
