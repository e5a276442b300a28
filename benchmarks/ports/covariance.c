double covariance(const double *x, const double *y, int n)
{
    double mx = 0, my = 0, s = 0;
    for (int i = 0; i < n; i++) {
        mx += x[i];
        my += y[i];
    }
    mx /= n;
    my /= n;
    for (int i = 0; i < n; i++)
        s += (x[i] - mx) * (y[i] - my);
    return s / n;
}
