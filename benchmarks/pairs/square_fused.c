void square_and_offset(const double *x, double *y, int n, double c)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i];
    for (int i = 0; i < n; i++)
        y[i] = y[i] + c;
}

void square_and_offset_fused(const double *x, double *y, int n, double c)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i] + c;
}

void square_then_difference(const double *x, double *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i];
    for (int i = 0; i + 1 < n; i++)
        y[i] = y[i + 1] - y[i];
}

void square_then_difference_fused(const double *x, double *y, int n)
{
    y[0] = x[0] * x[0];
    for (int i = 0; i + 1 < n; i++) {
        y[i] = x[i + 1] * x[i + 1] - x[i] * x[i];
    }
}
