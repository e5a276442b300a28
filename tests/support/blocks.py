"""Kernels that GPUs compute by blocks: of elements, of rows, and of tiles."""

SOURCE = """
void scale(float *out, const float *x, float k, int n) {
    for (int i = 0; i < n; i++) out[i] = k * x[i];
}
void shifted(float *x, int n) {
    for (int i = 0; i < n; i++) x[i] = x[i + 1];
}
float total(const float *x, int n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}
float greatest(const float *x, int n) {
    float best = x[0];
    for (int i = 1; i < n; i++) best = x[i] > best ? x[i] : best;
    return best;
}
void row_means(float *out, const float *a, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        float s = 0.0f;
        for (int c = 0; c < cols; c++) s += a[r * cols + c];
        for (int c = 0; c < cols; c++) out[r * cols + c] = a[r * cols + c] / s;
    }
}
void products(float *c, const float *a, const float *b, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int l = 0; l < k; l++) s += a[i * k + l] * b[l * n + j];
            c[i * n + j] = s;
        }
}
"""
