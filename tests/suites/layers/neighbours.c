/* What is read at indices that conditions choose or arrays hold, and divided by elements: that all of it may be read and divided
   follows from that the source does. */

void mirrored(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        int left = i > 0 ? i - 1 : i + 1, right = i < n - 1 ? i + 1 : i - 1;
        y[i] = x[right] - x[left];
    }
}

void quotients(int *a, const int *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] / b[i] + 7 % b[i];
}

void counted(const int *kinds, int *counts, int n)
{
    for (int i = 0; i < n; i++)
        counts[kinds[i]]++;
}
