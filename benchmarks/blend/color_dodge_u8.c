#include <stdint.h>

/* color dodge on bytes, rows and columns: 255 where a == 255, otherwise b / (255 - a) */
void color_dodge(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            if (active[i] == 255)
                out[i] = 255;
            else
                out[i] = base[i] / (255 - active[i]);
        }
    }
}
