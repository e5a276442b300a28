void relu(const float *x, float *y, int n)
{
    int i;
    for (i = 0; i < n; i++) {
        if (x[i] > 0.0f)
            y[i] = x[i];
        else
            y[i] = 0.0f;
    }
}
