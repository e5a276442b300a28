/* a -= b */
void subtract_in_place(float *a, const float *b, int n) {
    for (int i = 0; i < n; i++) {
        a[i] -= b[i];
    }
}
