#include <stdint.h>

/* an image through a mask */
void fade(uint8_t *image, const uint8_t *mask, int n) {
    for (int i = 0; i < n; i++)
        image[i] = image[i] * mask[i] / 255;
}
