#include <stdint.h>

/* normal blend, opacity in 255ths, not normalised: o*a + (255-o)*b */
void normal_8(uint8_t *out, const uint8_t *base, const uint8_t *active, int n, uint8_t opacity) {
    for (int i = 0; i < n; i++) {
        out[i] = opacity * active[i] + (255 - opacity) * base[i];
    }
}
