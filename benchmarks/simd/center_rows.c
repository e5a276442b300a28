/* each element of a matrix less its row's bias, scaled */
void center_rows(float *out, const float *x, const float *bias, float scale, int rows, int columns) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[i * columns + j] = (x[i * columns + j] - bias[i]) * scale;
}
