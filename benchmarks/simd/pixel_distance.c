#include <stdint.h>
#include <stdlib.h>

/* how far two images are from each other, pixel by pixel */
void pixel_distance(uint8_t *out, const uint8_t *a, const uint8_t *b, int n) {
    for (int i = 0; i < n; i++)
        out[i] = abs(a[i] - b[i]);
}
