int find_first(const float *x, int n, float level)
{
    for (int i = 0; i < n; i++)
        if (x[i] > level)
            return i;
    return -1;
}

int find_first_backwards(const float *x, int n, float level)
{
    int at = -1;
    for (int i = n - 1; i >= 0; i--)
        if (x[i] > level)
            at = i;
    return at;
}

int find_first_kept(const float *x, int n, float level)
{
    int at = -1;
    for (int i = 0; i < n; i++)
        if (x[i] > level)
            at = i;
    return at;
}
