typedef struct {
    int dimensions[2];
    float *vals;
} tensor;

/* y = A x */
void gemv(const tensor *A, const float *x, float *y) {
    for (int i = 0; i < A->dimensions[0]; i++) {
        y[i] = 0.0f;
        for (int j = 0; j < A->dimensions[1]; j++) {
            y[i] += A->vals[i * A->dimensions[1] + j] * x[j];
        }
    }
}
