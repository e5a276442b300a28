#include <stdint.h>

/* color burn on bytes, pointers that move: 255 where a == 0, otherwise 255 - (255 - b) / a */
void color_burn(uint8_t *out, const uint8_t *base, const uint8_t *active, int n) {
    while (n-- > 0) {
        if (*active == 0)
            *out = 255;
        else
            *out = 255 - (255 - *base) / *active;
        out++;
        base++;
        active++;
    }
}
