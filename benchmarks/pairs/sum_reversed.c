long sum(const int *x, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

long sum_reversed(const int *x, int n)
{
    long s = 0;
    while (n-- > 0)
        s += x[n];
    return s;
}

long sum_countdown(const int *x, int n)
{
    long s = 0;
    for (int i = n - 1; i > 0; i--)
        s += x[i];
    return s;
}
