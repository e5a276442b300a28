#include <stdint.h>

/* how often each byte occurs */
void histogram(const uint8_t *image, int n, int *counts) {
    for (int i = 0; i < 256; i++) counts[i] = 0;
    for (int i = 0; i < n; i++) counts[image[i]]++;
}
