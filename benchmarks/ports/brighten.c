#include <stdint.h>

void brighten(uint8_t *img, int n, int delta)
{
    for (int i = 0; i < n; i++) {
        int v = img[i] + delta;
        if (v < 0) v = 0;
        else if (v > 255) v = 255;
        img[i] = (uint8_t)v;
    }
}
