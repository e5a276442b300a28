int sum_array(const int *x, int n)
{
    int total = 0;
    const int *end = x + n;
    while (x < end)
        total += *x++;
    return total;
}
