/* linear burn on ints, one flat loop: a + b - 255 */
void linear_burn(int *out, const int *base, const int *active, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = active[i] + base[i] - 255;
    }
}
