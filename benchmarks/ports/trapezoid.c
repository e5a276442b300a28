double trapezoid(const double *y, int n, double dx)
{
    double area = 0;
    for (int i = 1; i < n; i++)
        area += 0.5 * (y[i - 1] + y[i]) * dx;
    return area;
}
