/* out = m * s */
void matrix_scale_out(const float *m, float s, float *out, int rows, int cols) {
    for (int i = 0; i < rows * cols; i++) {
        out[i] = m[i] * s;
    }
}
