/* to += from */
void matrix_add_in_place(float *to, const float *from, int rows, int cols) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            to[i * cols + j] += from[i * cols + j];
        }
    }
}
