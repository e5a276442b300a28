void add_bias(float *a, const float *bias, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] += bias[i];
}
