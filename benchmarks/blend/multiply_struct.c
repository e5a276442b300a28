#include <stdint.h>

typedef struct {
    int width;
    int height;
    uint8_t *pixels;
} image;

/* multiply, into the base: a*b/255 */
void multiply(image *base, const image *active) {
    for (int i = 0; i < base->width * base->height; i++) {
        base->pixels[i] = base->pixels[i] * active->pixels[i] / 255;
    }
}
