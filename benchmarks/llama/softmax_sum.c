/* softmax, third step: the sum of the exponentials */
float softmax_sum(const float *x, int size) {
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        sum += x[i];
    }
    return sum;
}
