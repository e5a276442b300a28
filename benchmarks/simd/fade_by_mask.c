#include <stdint.h>

/* an image through a mask */
void fade_by_mask(uint8_t *image, const uint8_t *mask, int n) {
    for (int i = 0; i < n; i++)
        image[i] = image[i] * mask[i] / 255;
}
