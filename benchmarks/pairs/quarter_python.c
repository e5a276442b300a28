void quarter(const int *x, int *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / 4;
}

void remainders(const int *x, int *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = ((x[i] % 4) + 4) % 4;
}
