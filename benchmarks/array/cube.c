/* a cubed, in place */
void cube(int *a, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * a[i] * a[i];
    }
}
