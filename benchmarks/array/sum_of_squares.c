float sum_of_squares(const float *a, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
        sum += a[i] * a[i];
    return sum;
}
