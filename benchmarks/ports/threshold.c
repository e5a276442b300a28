#include <stdint.h>

void threshold(const uint8_t *src, uint8_t *dst, int n, uint8_t level)
{
    while (n-- > 0)
        *dst++ = *src++ >= level ? 255 : 0;
}
