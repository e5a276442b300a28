void running_total(const int *x, long *y, int n)
{
    long total = 0;
    for (int i = 0; i < n; i++) {
        total += x[i];
        y[i] = total;
    }
}
