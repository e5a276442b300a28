#include <stdint.h>

/* darken on bytes, pointers that move: min(a, b) */
void darken(uint8_t *out, const uint8_t *base, const uint8_t *active, int n) {
    while (n-- > 0) {
        if (*base > *active)
            *out = *active;
        else
            *out = *base;
        out++;
        base++;
        active++;
    }
}
