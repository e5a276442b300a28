/* c = a - b */
void matrix_sub(const int *a, const int *b, int *c, int rows, int cols) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            c[i * cols + j] = a[i * cols + j] - b[i * cols + j];
        }
    }
}
