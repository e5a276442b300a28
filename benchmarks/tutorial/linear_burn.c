void linear_burn(int *out, const int *base, const int *active, int rows, int cols) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            out[i * cols + j] = base[i * cols + j] + active[i * cols + j] - 255;
        }
    }
}
