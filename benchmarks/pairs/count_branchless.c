unsigned count(const unsigned char *x, unsigned n, unsigned char level)
{
    unsigned c = 0;
    for (unsigned i = 0; i < n; i++) {
        if (x[i] >= level)
            c++;
    }
    return c;
}

unsigned count_branchless(const unsigned char *x, unsigned n, unsigned char level)
{
    unsigned c = 0;
    for (unsigned i = 0; i < n; i++)
        c += x[i] >= level;
    return c;
}

unsigned count_blocks(const unsigned char *x, unsigned n, unsigned char level)
{
    unsigned c = 0, i = 0;
    for (; i + 4 <= n; i += 4)
        c += (x[i] >= level) + (x[i + 1] >= level) + (x[i + 2] >= level) + (x[i + 3] >= level);
    for (; i < n; i++)
        c += x[i] > level;
    return c;
}
