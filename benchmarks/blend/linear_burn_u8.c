#include <stdint.h>

/* linear burn on bytes, rows and columns: a + b - 255 */
void linear_burn(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            out[i] = active[i] + base[i] - 255;
        }
    }
}
