#include <stdint.h>

/* the greatest element and its place, by a count of what is left */
void argmax_value(const float *p, uint32_t n, float *value, uint32_t *place) {
    uint32_t at = 0u;
    float best = *p++;
    uint32_t left = n - 1u;
    while (left > 0u) {
        float x = *p++;
        if (best < x) {
            best = x;
            at = n - left;
        }
        left--;
    }
    *value = best;
    *place = at;
}
