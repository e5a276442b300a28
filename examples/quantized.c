/* Kernels of a quantized network on 8-bit integers, as people write them for processors without vector units. */

#include <stdint.h>

static int8_t clamp8(int value) {
    return value > 127 ? 127 : value < -128 ? -128 : value;
}

/* A skip connection: the sum saturates. */
void residual(int8_t *out, const int8_t *a, const int8_t *b, int n) {
    for (int i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        if (sum > 127)
            sum = 127;
        if (sum < -128)
            sum = -128;
        out[i] = (int8_t) sum;
    }
}

/* A dense layer: products in 32 bits, scaled down and saturated at the end, then rectified. */
void dense(int8_t *out, const int8_t *x, const int8_t *w, int rows, int inner, int columns) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            int32_t sum = 0;
            for (int k = 0; k < inner; k++)
                sum += x[i * inner + k] * w[k * columns + j];
            int8_t scaled = clamp8(sum >> 7);
            out[i * columns + j] = scaled < 0 ? 0 : scaled;
        }
    }
}

/* A gate: the product of two numbers of 7 fractional bits. */
void gate(int8_t *out, const int8_t *a, const int8_t *b, int n) {
    for (int i = 0; i < n; i++)
        out[i] = clamp8((a[i] * b[i]) >> 7);
}

/* The mean of two signals cannot leave 8 bits, so nothing in it saturates. */
void blend(int8_t *out, const int8_t *a, const int8_t *b, int n) {
    for (int i = 0; i < n; i++)
        out[i] = (a[i] >> 1) + (b[i] >> 1);
}
