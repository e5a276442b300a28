/* each x by a polynomial of degree 3 */
void polynomial(const float *x, float *y, int n, float a, float b, float c, float d) {
    for (int i = 0; i < n; i++) {
        y[i] = ((a * x[i] + b) * x[i] + c) * x[i] + d;
    }
}
