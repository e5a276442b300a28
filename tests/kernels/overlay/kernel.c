/* overlay on ints, one flat loop: base against itself: 2b + b - 2b*b/255 - 255 where b >= 128, otherwise 2b*b/255 */
void overlay(int *out, const int *base, int n) {
    for (int i = 0; i < n; i++) {
        if (base[i] >= 128)
            out[i] = 2 * base[i] + base[i] - 2 * base[i] * base[i] / 255 - 255;
        else
            out[i] = 2 * base[i] * base[i] / 255;
    }
}
