/* a = value */
void fill(int *a, int value, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = value;
    }
}
