void prefix_sums(const int *x, long *y, int n)
{
    for (int i = 0; i < n; i++) {
        long s = 0;
        for (int j = 0; j <= i; j++)
            s += x[j];
        y[i] = s;
    }
}

void prefix_sums_running(const int *x, long *y, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        y[i] = s;
    }
}

void prefix_sums_late(const int *x, long *y, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        y[i] = s;
        s += x[i];
    }
}
