int argmax_last(const int *x, int n)
{
    int at = 0;
    for (int i = 1; i < n; i++)
        if (x[i] >= x[at])
            at = i;
    return at;
}
