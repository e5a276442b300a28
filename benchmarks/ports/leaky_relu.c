void leaky_relu(const float *x, float *y, int n, float slope)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : slope * x[i];
}
