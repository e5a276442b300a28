/* the sum of a + b over all elements */
double sum_of_elements(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] + b[i];
    }
    return sum;
}
