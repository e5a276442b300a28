#include <stdint.h>

/* linear dodge on bytes, rows and columns: a + b */
void linear_dodge(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            out[i] = active[i] + base[i];
        }
    }
}
