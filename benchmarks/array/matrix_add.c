/* out = a + b */
void matrix_add(const float *a, const float *b, float *out, int rows, int cols) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            out[i * cols + j] = a[i * cols + j] + b[i * cols + j];
        }
    }
}
