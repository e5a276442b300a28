int contains(const int *x, int n, int key)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        if (x[i] == key)
            found = 1;
    return found;
}

int contains_exit(const int *x, int n, int key)
{
    for (int i = 0; i < n; i++)
        if (x[i] == key)
            return 1;
    return 0;
}

int contains_pairs(const int *x, int n, int key)
{
    for (int i = 0; i < n - 1; i += 2)
        if (x[i] == key || x[i + 1] == key)
            return 1;
    return 0;
}
