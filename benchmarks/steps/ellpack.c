/* Sparse matrix-vector product in ELLPACK format: columns that are padding are marked by -1. */
void spmv_ell(int num_rows, int num_cols_per_row, const int *indices, const float *data, const float *x, float *y)
{
    for (int row = 0; row < num_rows; row++) {
        float dot = 0;
        for (int n = 0; n < num_cols_per_row; n++) {
            int col = indices[num_rows * n + row];
            float val = data[num_rows * n + row];
            if (col < 0)
                break;
            if (val != 0)
                dot += val * x[col];
        }
        y[row] += dot;
    }
}
