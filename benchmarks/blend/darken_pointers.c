/* darken, one pointer for each row: min(a, b) */
void darken(int **out, int **base, int **active, int rows, int cols) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            if (base[i][j] > active[i][j])
                out[i][j] = active[i][j];
            else
                out[i][j] = base[i][j];
        }
    }
}
