double weighted_mean(const double *x, const double *w, int n)
{
    double num = 0, den = 0;
    for (int i = 0; i < n; i++) {
        num += w[i] * x[i];
        den += w[i];
    }
    return num / den;
}
