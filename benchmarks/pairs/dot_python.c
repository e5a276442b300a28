double dot(const double *a, const double *b, int n)
{
    double s = 0;
    while (n--)
        s += *a++ * *b++;
    return s;
}
