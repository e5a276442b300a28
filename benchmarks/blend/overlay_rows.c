#include <stdint.h>

/* overlay on bytes, one pointer per row: base against itself: 2b + b - 2b*b/255 - 255 where b >= 128, otherwise 2b*b/255 */
void overlay(uint8_t *out, const uint8_t *base, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        const uint8_t *b = base + y * stride;
        uint8_t *o = out + y * stride;
        for (int x = 0; x < width; x++) {
            if (b[x] >= 128)
                o[x] = 2 * b[x] + b[x] - 2 * b[x] * b[x] / 255 - 255;
            else
                o[x] = 2 * b[x] * b[x] / 255;
        }
    }
}
