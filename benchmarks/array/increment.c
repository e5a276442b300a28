/* a + 1, in place */
void increment(int *a, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = a[i] + 1;
    }
}
