typedef struct matrix {
    int rows, cols;
    float **vals;
} matrix;

/* m *= scale */
void matrix_scale(matrix m, float scale) {
    int i, j;
    for (i = 0; i < m.rows; ++i) {
        for (j = 0; j < m.cols; ++j) {
            m.vals[i][j] *= scale;
        }
    }
}
