#include <stdint.h>

/* the sum of the squares of bytes */
int32_t byte_energy(const int8_t *x, int n) {
    int32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}
