void divide(double *x, int n, double s)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] / s;
}

void divide_hoisted(double *x, int n, double s)
{
    const double inv = 1.0 / s;
    for (int i = 0; i < n; i++)
        x[i] *= inv;
}

void divide_first(double *x, int n)
{
    double s = x[0];
    for (int i = 0; i < n; i++)
        x[i] = x[i] / s;
}

void divide_first_reread(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] / x[0];
}
