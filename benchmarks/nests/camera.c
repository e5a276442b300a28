/* From the sensor's raw values to an 8-bit picture, its histogram and its sharpness: one function, as it grew. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 256

static int clamp_u8(int v) {
    return v < 0 ? 0 : (v > 255 ? 255 : v);
}

struct frame {
    int width, height, stride;
    const uint16_t *raw; /* height rows of stride values */
    uint8_t *out;        /* width * height */
    float gain, black;
};

/* Returns the sharpness, or a negative number where there is no memory. */
double develop(struct frame *f, unsigned hist[BINS], int verbose) {
    int w = f->width, h = f->height;
    int n = w * h;
    float *lin = malloc(n * sizeof *lin);
    float *blur = malloc(n * sizeof *blur);
    uint8_t lut[BINS];
    if (!lin || !blur) {
        free(lin);
        free(blur);
        return -1.0;
    }

    /* linearise: black level and gain */
    for (int y = 0; y < h; y++) {
        const uint16_t *row = f->raw + y * f->stride;
        for (int x = 0; x < w; x++) {
            float v = (row[x] - f->black) * f->gain;
            lin[y * w + x] = v > 0.0f ? v : 0.0f;
        }
    }

    /* the mean and the brightest value, for the exposure */
    float sum = 0.0f, peak = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += lin[i];
        if (lin[i] > peak)
            peak = lin[i];
    }
    float mean = n > 0 ? sum / n : 0.0f;
    if (verbose)
        printf("mean %f peak %f\n", mean, peak);
    float scale = peak > 0.0f ? 255.0f / peak : 1.0f;

    /* a 3x3 box blur of the inner pixels */
    memcpy(blur, lin, n * sizeof *blur);
    for (int y = 1; y < h - 1; y++) {
        for (int x = 1; x < w - 1; x++) {
            float acc = 0.0f;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    acc += lin[(y + dy) * w + x + dx];
            blur[y * w + x] = acc / 9.0f;
        }
    }

    /* unsharp mask */
    for (int i = 0; i < n; i++)
        lin[i] = lin[i] + 0.5f * (lin[i] - blur[i]);

    /* to 8 bits, with a gamma table */
    for (int i = 0; i < BINS; i++)
        lut[i] = (uint8_t)(255.0f * sqrtf(i / 255.0f));
    for (int i = 0; i < n; i++) {
        int v = clamp_u8((int)(lin[i] * scale));
        f->out[i] = lut[v];
    }

    /* histogram */
    for (int i = 0; i < BINS; i++)
        hist[i] = 0;
    for (int i = 0; i < n; i++)
        hist[f->out[i]]++;

    /* cumulative histogram, in place, and the darkest level in use */
    for (int i = 1; i < BINS; i++)
        hist[i] += hist[i - 1];
    int darkest = 0;
    while (darkest < BINS - 1 && hist[darkest] == 0)
        darkest++;
    if (verbose)
        printf("darkest %d\n", darkest);

    /* darken the border */
    for (int x = 0; x < w; x++) {
        f->out[x] /= 2;
        f->out[(h - 1) * w + x] /= 2;
    }

    /* sharpness: the energy of horizontal differences */
    double sharp = 0.0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x + 1 < w; x++) {
            int d = f->out[y * w + x + 1] - f->out[y * w + x];
            sharp += d * d;
        }

    /* mirror, row by row */
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w / 2; x++) {
            uint8_t t = f->out[y * w + x];
            f->out[y * w + x] = f->out[y * w + w - 1 - x];
            f->out[y * w + w - 1 - x] = t;
        }
    }

    /* invert */
    uint8_t *p = f->out, *end = f->out + n;
    while (p < end) {
        *p = 255 - *p;
        p++;
    }

    free(lin);
    free(blur);
    return n > 0 ? sharp / n : 0.0;
}
