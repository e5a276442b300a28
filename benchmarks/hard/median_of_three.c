/* the median of every three neighbours */
static int median(int a, int b, int c) {
    if (a > b) {
        int t = a;
        a = b;
        b = t;
    }
    if (b > c)
        b = c;
    return a > b ? a : b;
}

void median_of_three(const int *x, int n, int *y) {
    for (int i = 1; i + 1 < n; i++)
        y[i] = median(x[i - 1], x[i], x[i + 1]);
}
