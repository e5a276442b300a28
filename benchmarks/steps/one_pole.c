/* low-pass of one pole; the state stays with the caller from block to block */
void one_pole(const float *x, float *y, int n, float k, float *state) {
    float z = *state;
    for (int i = 0; i < n; i++) {
        z += k * (x[i] - z);
        y[i] = z;
    }
    *state = z;
}
