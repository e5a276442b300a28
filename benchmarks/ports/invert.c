#include <stdint.h>

void invert(const uint8_t *src, uint8_t *dst, int w, int h)
{
    int i, n = w * h;
    for (i = 0; i < n; i++)
        dst[i] = 255 - src[i];
}
