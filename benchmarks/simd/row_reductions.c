/* the sum of each row of a matrix */
void row_sums(float *sums, const float *x, int rows, int columns) {
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int j = 0; j < columns; j++)
            sum += x[i * columns + j];
        sums[i] = sum;
    }
}

/* the largest element of each row of a matrix */
void row_maxima(float *maxima, const float *x, int rows, int columns) {
    for (int i = 0; i < rows; i++) {
        float most = x[i * columns];
        for (int j = 1; j < columns; j++)
            if (x[i * columns + j] > most)
                most = x[i * columns + j];
        maxima[i] = most;
    }
}
