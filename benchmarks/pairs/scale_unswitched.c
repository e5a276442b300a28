void scale(const float *x, float *y, int n, float k, int square)
{
    for (int i = 0; i < n; i++) {
        if (square)
            y[i] = k * x[i] * x[i];
        else
            y[i] = k * x[i];
    }
}

void scale_unswitched(const float *x, float *y, int n, float k, int square)
{
    if (square) {
        for (int i = 0; i < n; i++)
            y[i] = k * (x[i] * x[i]);
    } else {
        for (int i = 0; i < n; i++)
            y[i] = k * x[i];
    }
}

void scale_unswitched_sign(const float *x, float *y, int n, float k, int square)
{
    if (square > 0) {
        for (int i = 0; i < n; i++)
            y[i] = k * (x[i] * x[i]);
    } else {
        for (int i = 0; i < n; i++)
            y[i] = k * x[i];
    }
}
