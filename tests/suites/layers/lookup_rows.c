/* The rows of a table that are named by their numbers. */
void lookup_rows(const int *rows, const float *table, float *out, int n, int d) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            out[i * d + j] = table[rows[i] * d + j];
}
