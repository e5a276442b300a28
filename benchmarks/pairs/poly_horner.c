double poly(const double *c, int n, double x)
{
    double s = 0, power = 1;
    for (int i = 0; i < n; i++) {
        s += c[i] * power;
        power *= x;
    }
    return s;
}

double poly_horner(const double *c, int n, double x)
{
    double s = 0;
    for (int i = n - 1; i >= 0; i--)
        s = s * x + c[i];
    return s;
}

double poly_horner_forward(const double *c, int n, double x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = s * x + c[i];
    return s;
}
