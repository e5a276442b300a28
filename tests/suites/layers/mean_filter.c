#include <stdint.h>

/* Each pixel but those of the border becomes the mean of nine. */
void mean_filter(const uint8_t *in, uint8_t *out, int h, int w) {
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            int sum = 0;
            for (int a = -1; a <= 1; a++)
                for (int b = -1; b <= 1; b++)
                    sum += in[(i + a) * w + j + b];
            out[i * w + j] = sum / 9;
        }
}
