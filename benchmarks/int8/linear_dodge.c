#include <stdint.h>

void linear_dodge(int8_t *out, const int8_t *base, const int8_t *active, int height, int width) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int v = base[y * width + x] + active[y * width + x];
            if (v > 127)
                v = 127;
            else if (v < -128)
                v = -128;
            out[y * width + x] = v;
        }
}
