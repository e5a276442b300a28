/* a += b */
void add_in_place(int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = a[i] + b[i];
    }
}
