#include <stdint.h>

/* the mean of two bytes, rounded up */
void average(uint8_t *out, const uint8_t *a, const uint8_t *b, int n) {
    for (int i = 0; i < n; i++)
        out[i] = (a[i] + b[i] + 1) >> 1;
}
