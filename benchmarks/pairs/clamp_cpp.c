void limit(int *x, int n, int lo, int hi)
{
    int i;
    for (i = 0; i < n; i++) {
        if (x[i] < lo)
            x[i] = lo;
        if (x[i] > hi)
            x[i] = hi;
    }
}
