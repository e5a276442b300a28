/* What lies on one side of a diagonal only. */
void lower_product(const double *l, const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j <= i; j++)
            sum += l[i * n + j] * x[j];
        y[i] = sum;
    }
}

int equal_pairs(const int *x, int n) {
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (x[i] == x[j])
                count++;
    return count;
}
