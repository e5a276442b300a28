#include <stdint.h>

/* sums of bytes that stay at 255 */
void add_saturated(uint8_t *out, const uint8_t *a, const uint8_t *b, int n) {
    for (int i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : sum;
    }
}
