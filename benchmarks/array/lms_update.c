/* the coefficients' update, over n - 1 of them */
void lms_update(float *c, const float *x, float e, int n) {
    for (int i = 0; i < n - 1; i++) {
        c[i] += x[i] * e;
    }
}
