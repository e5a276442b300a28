#include <stdint.h>

/* x / 256, rounded to the nearest, ties to even. */
static int32_t rescaled(int32_t x) {
    int32_t down = x >> 8, rest = x & 255;
    if (rest > 128 || (rest == 128 && (down & 1)))
        down++;
    return down;
}

/* A layer: weights by output, one bias for each output. */
void linear_relu(int8_t *y, const int8_t *x, const int8_t *w, const int32_t *bias, int rows, int outputs, int inputs) {
    for (int r = 0; r < rows; r++)
        for (int o = 0; o < outputs; o++) {
            int32_t acc = bias[o];
            for (int i = 0; i < inputs; i++)
                acc += x[r * inputs + i] * w[o * inputs + i];
            acc = rescaled(acc);
            if (acc < 0)
                acc = 0;
            if (acc > 127)
                acc = 127;
            y[r * outputs + o] = (int8_t)acc;
        }
}
