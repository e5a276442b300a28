/* What earlier iterations saw, in scalars; n may be 0. */
void difference(int n, const float *x, float *d)
{
    float previous = 0.0f;
    for (int i = 0; i < n; i++) {
        d[i] = x[i] - previous;
        previous = x[i];
    }
}

void second_difference(int n, const double *x, double *d)
{
    double last = 0.0, before = 0.0;
    for (int i = 0; i < n; i++) {
        d[i] = x[i] - 2.0 * last + before;
        before = last;
        last = x[i];
    }
}

void delayed(int n, int *x)
{
    int first = 7, second = 8;
    for (int i = 0; i < n; i++) {
        int current = x[i];
        x[i] = second;
        second = first;
        first = current;
    }
}

void smooth(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (i == 0 || i == n - 1) ? x[i] : (x[i - 1] + x[i] + x[i + 1]) / 3.0f;
}
