/* y = A x for a 3 by 3 matrix */
void matrix_vector_3(const float *A, const float *x, float *y) {
    for (int i = 0; i < 3; i++) {
        float sum = 0.0f;
        for (int j = 0; j < 3; j++) {
            sum += A[i * 3 + j] * x[j];
        }
        y[i] = sum;
    }
}
