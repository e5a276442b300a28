void saxpy(const float *x, float *y, int n, float a)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

void saxpy_pointers(const float *x, float *y, int n, float a)
{
    const float *end = x + n;
    while (x != end)
        *y++ += a * *x++;
}

void saxpy_pointers_pairs(const float *x, float *y, int n, float a)
{
    const float *end = x + n;
    while (end - x >= 2) {
        y[0] += a * x[0];
        y[1] += a * x[0];
        x += 2;
        y += 2;
    }
    if (x < end)
        *y += a * *x;
}
