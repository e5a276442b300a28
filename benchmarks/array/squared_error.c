/* the difference, and its square */
void squared_error(int n, const float *pred, const float *truth, float *delta, float *error) {
    for (int i = 0; i < n; i++) {
        float diff = truth[i] - pred[i];
        error[i] = diff * diff;
        delta[i] = diff;
    }
}
