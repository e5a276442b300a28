void window(const double *x, double *y, int n)
{
    for (int i = 1; i < n - 1; i++)
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

void window_rotated(const double *x, double *y, int n)
{
    if (n < 3)
        return;
    double a = x[0], b = x[1];
    for (int i = 1; i < n - 1; i++) {
        double c = x[i + 1];
        y[i] = (a + b + c) / 3;
        a = b;
        b = c;
    }
}

void window_stale(const double *x, double *y, int n)
{
    if (n < 3)
        return;
    double a = x[0], b = x[1];
    for (int i = 1; i < n - 1; i++) {
        double c = x[i + 1];
        y[i] = (a + b + c) / 3;
        b = c;
        a = b;
    }
}
