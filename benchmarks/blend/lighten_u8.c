#include <stdint.h>

/* lighten on bytes, rows and columns: max(a, b) */
void lighten(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            if (base[i] < active[i])
                out[i] = active[i];
            else
                out[i] = base[i];
        }
    }
}
