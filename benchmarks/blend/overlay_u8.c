#include <stdint.h>

/* overlay on bytes, rows and columns: base against itself: 2b + b - 2b*b/255 - 255 where b >= 128, otherwise 2b*b/255 */
void overlay(uint8_t *out, const uint8_t *base, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            if (base[i] >= 128)
                out[i] = 2 * base[i] + base[i] - 2 * base[i] * base[i] / 255 - 255;
            else
                out[i] = 2 * base[i] * base[i] / 255;
        }
    }
}
