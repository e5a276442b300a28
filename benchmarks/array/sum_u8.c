#include <stdint.h>

uint32_t sum(const uint8_t *p, unsigned n) {
    uint32_t total = 0;
    for (const uint8_t *end = p + n; p < end; p++) {
        total += *p;
    }
    return total;
}
