/* a += b, from the last */
void add_in_place(double *a, const double *b, int n) {
    while (--n >= 0) {
        a[n] += b[n];
    }
}
