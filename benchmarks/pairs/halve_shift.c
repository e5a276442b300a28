void halve(int *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] / 2;
}

void halve_shift(int *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] >> 1;
}

void halve_unsigned(unsigned *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] / 2;
}

void halve_unsigned_shift(unsigned *x, int n)
{
    for (unsigned *p = x; p < x + n; ++p)
        *p >>= 1;
}
