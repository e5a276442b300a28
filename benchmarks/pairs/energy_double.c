float energy(const float *x, int n)
{
    float e = 0;
    for (int i = 0; i < n; i++)
        e += x[i] * x[i];
    return e / n;
}

float energy_double(const float *x, int n)
{
    double e = 0;
    for (int i = 0; i < n; i++)
        e += (double)x[i] * x[i];
    return (float)(e / n);
}

float energy_whole(const float *x, int n)
{
    long e = 0;
    for (int i = 0; i < n; i++)
        e += x[i] * x[i];
    return (float)e / n;
}
