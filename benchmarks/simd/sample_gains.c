#include <stdint.h>

/* samples times the gain of each */
void sample_gains(int32_t *out, const int16_t *samples, const int16_t *gains, int n) {
    for (int i = 0; i < n; i++)
        out[i] = samples[i] * gains[i];
}
