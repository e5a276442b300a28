/* the first place of a value, -1 if it is not there */
int search(const int *a, int n, int value) {
    for (int i = 0; i < n; i++) {
        if (a[i] == value) {
            return i;
        }
    }
    return -1;
}
