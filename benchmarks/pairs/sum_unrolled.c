double sum(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

double sum_unrolled(const double *x, int n)
{
    double s = 0;
    int i = 0;
    for (; i + 3 < n; i += 4)
        s += x[i] + x[i + 1] + x[i + 2] + x[i + 3];
    for (; i < n; i++)
        s += x[i];
    return s;
}

double sum_unrolled_tail(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n / 4; i++)
        s += x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
    return s;
}
