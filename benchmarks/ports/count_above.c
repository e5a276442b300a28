int count_above(const float *x, int n, float level)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > level)
            count++;
    return count;
}
