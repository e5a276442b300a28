#include <stdint.h>

/* x / 4, rounded to the nearest, ties to even. */
static int quarter(int x) {
    int down = x >> 2, rest = x & 3;
    return down + (rest > 2 || (rest == 2 && (down & 1) != 0));
}

/* Opacity 1/4, each share rounded for itself. */
void normal_quarter(int8_t *out, const int8_t *base, const int8_t *active, int n) {
    for (int i = 0; i < n; i++) {
        int v = quarter(3 * base[i]) + quarter(active[i]);
        out[i] = v > 127 ? 127 : v < -128 ? -128 : v;
    }
}
