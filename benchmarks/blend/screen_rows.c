#include <stdint.h>

/* screen on bytes, one pointer per row: a + b - a * b / 255 */
void screen(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        const uint8_t *b = base + y * stride;
        const uint8_t *a = active + y * stride;
        uint8_t *o = out + y * stride;
        for (int x = 0; x < width; x++) {
            o[x] = a[x] + b[x] - a[x] * b[x] / 255;
        }
    }
}
