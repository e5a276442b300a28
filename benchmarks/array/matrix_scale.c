/* m *= s */
void matrix_scale(float *m, float s, int rows, int cols) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            m[i * cols + j] *= s;
        }
    }
}
