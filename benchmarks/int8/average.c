#include <stdint.h>

/* The mean of two images, halves to even. */
void average(int8_t *out, const int8_t *base, const int8_t *active, int n) {
    while (n-- > 0) {
        int sum = *base++ + *active++;
        int mean = sum >> 1;
        if (sum % 2 != 0 && mean % 2 != 0)
            mean++;
        *out++ = mean;
    }
}
