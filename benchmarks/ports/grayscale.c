#include <stdint.h>

void grayscale(const uint8_t *rgb, uint8_t *gray, int n)
{
    for (int i = 0; i < n; i++)
        gray[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}
