#include <stdint.h>

void alpha_blend(const uint8_t *fg, const uint8_t *bg, uint8_t *out, int n, uint8_t alpha)
{
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)((alpha * fg[i] + (255 - alpha) * bg[i]) / 255);
}
