float sum(float *a, int n) {
    float sum = 0;
    int i;
    for (i = 0; i < n; ++i)
        sum += a[i];
    return sum;
}
