#include <stdint.h>

/* color burn on bytes, rows and columns: 255 where a == 0, otherwise 255 - (255 - b) / a */
void color_burn(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            if (active[i] == 0)
                out[i] = 255;
            else
                out[i] = 255 - (255 - base[i]) / active[i];
        }
    }
}
