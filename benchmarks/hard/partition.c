/* Lomuto's: elements below the last one to its left; returns where it stands then */
int partition(int *a, int n) {
    int pivot = a[n - 1];
    int at = 0;
    for (int i = 0; i < n - 1; i++) {
        if (a[i] < pivot) {
            int t = a[at];
            a[at] = a[i];
            a[i] = t;
            at++;
        }
    }
    a[n - 1] = a[at];
    a[at] = pivot;
    return at;
}
