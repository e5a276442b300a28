void transpose(int **a, int **t, int rows, int cols) {
    int i, j;
    for (i = 0; i < rows; i++) {
        for (j = 0; j < cols; j++) {
            t[j][i] = a[i][j];
        }
    }
}
