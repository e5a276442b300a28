/* softmax, first step: the greatest score */
float softmax_max(const float *x, int size) {
    float max_val = x[0];
    for (int i = 1; i < size; i++) {
        if (x[i] > max_val) {
            max_val = x[i];
        }
    }
    return max_val;
}
