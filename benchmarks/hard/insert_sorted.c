/* puts value where it belongs among the n sorted elements; there is room for one more */
void insert_sorted(int *a, int n, int value) {
    int i = n;
    while (i > 0 && a[i - 1] > value) {
        a[i] = a[i - 1];
        i--;
    }
    a[i] = value;
}
