#include <stdint.h>

/* darken on bytes, one pointer per row: min(a, b) */
void darken(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        const uint8_t *b = base + y * stride;
        const uint8_t *a = active + y * stride;
        uint8_t *o = out + y * stride;
        for (int x = 0; x < width; x++) {
            if (b[x] > a[x])
                o[x] = a[x];
            else
                o[x] = b[x];
        }
    }
}
