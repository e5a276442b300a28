/* Blend modes on 8-bit images: `base` is the layer below, `active` the one above, `out` the result; one byte per sample. */
#include <stddef.h>
#include <stdint.h>

void blend_normal(uint8_t *out, const uint8_t *base, const uint8_t *active, size_t count, uint8_t opacity) {
    for (size_t i = 0; i < count; i++) {
        out[i] = (opacity * active[i] + (255 - opacity) * base[i]) / 255;
    }
}

void blend_normal_f(float *out, const float *base, const float *active, int count, float opacity) {
    for (int i = 0; i < count; i++) {
        out[i] = opacity * active[i] + (1.0f - opacity) * base[i];
    }
}

void blend_multiply(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            out[i] = base[i] * active[i] / 255;
        }
    }
}

void blend_screen(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint8_t b = base[y * width + x];
            uint8_t a = active[y * width + x];
            out[y * width + x] = a + b - a * b / 255;
        }
    }
}

void blend_darken(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int i = 0; i < width * height; i++) {
        if (base[i] > active[i]) {
            out[i] = active[i];
        } else {
            out[i] = base[i];
        }
    }
}

void blend_lighten(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int i = 0; i < width * height; i++) {
        out[i] = base[i] > active[i] ? base[i] : active[i];
    }
}

void blend_linear_dodge(uint8_t *out, const uint8_t *base, const uint8_t *active, int count) {
    for (int i = 0; i < count; i++) {
        int sum = base[i] + active[i];
        out[i] = sum > 255 ? 255 : sum;
    }
}

void blend_linear_burn(uint8_t *out, const uint8_t *base, const uint8_t *active, int count) {
    for (int i = 0; i < count; i++) {
        int sum = base[i] + active[i] - 255;
        out[i] = sum < 0 ? 0 : sum;
    }
}

void blend_color_burn(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            if (active[i] == 0) {
                out[i] = 255;
            } else {
                out[i] = 255 - (255 - base[i]) / active[i];
            }
        }
    }
}

void blend_color_dodge(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            if (active[i] == 255) {
                out[i] = 255;
            } else {
                int v = base[i] / (255 - active[i]);
                out[i] = v;
            }
        }
    }
}

void blend_overlay(uint8_t *out, const uint8_t *base, const uint8_t *active, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            int b = base[i];
            int a = active[i];
            if (b >= 128) {
                out[i] = 255 - 2 * (255 - a) * (255 - b) / 255;
            } else {
                out[i] = 2 * a * b / 255;
            }
        }
    }
}
