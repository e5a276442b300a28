#include <stdint.h>

uint32_t checksum(const uint8_t *x, int n)
{
    uint32_t s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s & 0xff;
}

uint32_t checksum_byte(const uint8_t *x, int n)
{
    uint8_t s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

uint32_t total(const uint8_t *x, int n)
{
    uint32_t s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

uint32_t total_short(const uint8_t *x, int n)
{
    uint8_t lanes[2] = {0, 0};
    int i;
    for (i = 0; i + 1 < n; i += 2) {
        lanes[0] += x[i];
        lanes[1] += x[i + 1];
    }
    if (i < n)
        lanes[0] += x[i];
    return (uint32_t)lanes[0] + lanes[1];
}
