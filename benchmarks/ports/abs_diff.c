#include <stdint.h>
#include <stdlib.h>

void abs_diff(const uint8_t *a, const uint8_t *b, uint8_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = abs(a[i] - b[i]);
}
