/* softmax, last step: each exponential as a share of their sum */
void softmax_divide(float *x, int size, float sum) {
    for (int i = 0; i < size; i++) {
        x[i] /= sum;
    }
}
