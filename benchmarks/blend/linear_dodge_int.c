/* linear dodge on ints, one flat loop: a + b */
void linear_dodge(int *out, const int *base, const int *active, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = active[i] + base[i];
    }
}
