#include <stdint.h>

/* white where an image is at least as bright as the threshold, otherwise black */
void threshold(uint8_t *out, const uint8_t *image, uint8_t least, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            out[y * width + x] = image[y * width + x] >= least ? 255 : 0;
}
