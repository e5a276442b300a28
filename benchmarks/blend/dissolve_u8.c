#include <stdint.h>

/* dissolve on bytes, a random number for each pixel */
void dissolve(uint8_t *out, const uint8_t *base, const uint8_t *active, const int *random, int n, float opacity) {
    for (int i = 0; i < n; i++) {
        out[i] = opacity - ((random[i] % 100) + 1) / 100.0f >= 0.0f ? active[i] : base[i];
    }
}
