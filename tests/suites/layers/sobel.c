#include <stdint.h>
#include <stdlib.h>
void sobel_x(const uint8_t *src, int *dst, int w, int h)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int gx = src[(y-1)*w + x+1] + 2*src[y*w + x+1] + src[(y+1)*w + x+1]
                   - src[(y-1)*w + x-1] - 2*src[y*w + x-1] - src[(y+1)*w + x-1];
            dst[y*w + x] = abs(gx);
        }
}
