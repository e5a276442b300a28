/* multiply on ints, one flat loop: a * b / 255 */
void multiply(int *out, const int *base, const int *active, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = base[i] * active[i] / 255;
    }
}
