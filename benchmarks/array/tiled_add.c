#define TILE 8
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* c = a + b, by tiles of the matrices */
void tiled_add(const float *a, const float *b, float *c, int rows, int columns) {
    for (int top = 0; top < rows; top += TILE) {
        for (int left = 0; left < columns; left += TILE) {
            for (int i = top; i < MIN(rows, top + TILE); i++) {
                for (int j = left; j < MIN(columns, left + TILE); j++) {
                    c[i * columns + j] = a[i * columns + j] + b[i * columns + j];
                }
            }
        }
    }
}
