#include <stdint.h>

/* spreads the grey values of an image over the full range, in place */
void equalise_histogram(uint8_t *image, int n) {
    int counts[256] = {0};
    int below[256];
    int total = 0, darkest = 0, i;

    for (i = 0; i < n; i++)
        counts[image[i]]++;
    for (i = 0; i < 256; i++) {
        if (total == 0)
            darkest = counts[i];
        total += counts[i];
        below[i] = total;
    }
    if (n == darkest)
        return;
    for (i = 0; i < n; i++)
        image[i] = (uint8_t)((below[image[i]] - darkest) * 255 / (n - darkest));
}
