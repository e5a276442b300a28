void rescale(double *x, int n)
{
    double lo = x[0], hi = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i] < lo) lo = x[i];
        if (x[i] > hi) hi = x[i];
    }
    for (int i = 0; i < n; i++)
        x[i] = (x[i] - lo) / (hi - lo);
}
