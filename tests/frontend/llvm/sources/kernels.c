// Kernels in the styles of real code bases. Each is run by the interpreter and natively on random inputs, see test_kernels.py.
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void rmsnorm(float *o, const float *restrict x, float *weight, int size) {
    float ss = 0.0f;
    for (int j = 0; j < size; j++) {
        ss += x[j] * x[j];
    }
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < size; j++) {
        o[j] = weight[j] * (ss * x[j]);
    }
}

void softmax(float *x, int size) {
    float max_val = x[0];
    for (int i = 1; i < size; i++) {
        if (x[i] > max_val) {
            max_val = x[i];
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        x[i] = expf(x[i] - max_val);
        sum += x[i];
    }
    for (int i = 0; i < size; i++) {
        x[i] /= sum;
    }
}

void matmul(float *xout, float *x, float *w, int n, int d) {
    int i;
#pragma omp parallel for private(i)
    for (i = 0; i < d; i++) {
        float val = 0.0f;
        for (int j = 0; j < n; j++) {
            val += w[i * n + j] * x[j];
        }
        xout[i] = val;
    }
}

int dot_bump(const int *p, const int *q, int n) {
    int s = 0;
    while (n--)
        s += *p++ * *q++;
    return s;
}

float sum_range(const float *a, int n) {
    const float *end = a + n;
    float s = 0;
    for (; a != end; ++a)
        s += *a;
    return s;
}

void color_burn(uint8_t *out, const uint8_t *b, const uint8_t *a, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        if (a[i] == 0)
            out[i] = 255;
        else
            out[i] = 255 - (255 - b[i]) / a[i];
    }
}

void blend(uint8_t *out, const uint8_t *a, const uint8_t *b, int n, uint8_t opacity) {
    for (uint8_t i = 0; i < n; i++)
        out[i] = (uint8_t)((opacity * a[i] + (255 - opacity) * b[i]) / 255);
}

int first_match(const int *a, int n, int wanted) {
    int i;
    for (i = 0; i < n; i++) {
        if (a[i] == wanted)
            break;
        if (a[i] < 0)
            continue;
        wanted += a[i] & 1;
    }
    return i;
}

_Bool any_pair(const _Bool *flags, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (flags[i] && flags[i + 1])
            return 1;
    return 0;
}

void histogram(int *bins, const uint8_t *p, int n) {
    for (int i = 0; i < n; i++)
        bins[p[i] & 7]++;
}

unsigned checksum(const uint8_t *p, unsigned n) {
    unsigned hash = 2166136261u;
    do {
        hash ^= *p++;
        hash *= 16777619u;
    } while (--n);
    return hash;
}

int64_t mixed(const int16_t *a, const uint16_t *b, int n) {
    int64_t s = 0;
    for (int i = n - 1; i >= 0; --i)
        s += (int64_t)a[i] * b[i] - (a[i] >> 1) + (b[i] << 3);
    return s;
}

static float clampf(float x, float low, float high) {
    if (x < low)
        return low;
    return x > high ? high : x;
}

void clamp_all(float *x, int n, float low, float high) {
    for (int i = 0; i < n; i++)
        x[i] = clampf(x[i], low, high);
}

int kind(int c) {
    switch (c) {
    case 0:
        return 10;
    case 1:
    case 2:
        c += 5;
    case 3:
        return c * 2;
    default:
        return -1;
    }
}

int checked(const int *a, int i, int n) {
    assert(i >= 0 && i < n);
    __builtin_assume(n < 1000);
    if (n > 500)
        abort();
    return a[i];
}

ptrdiff_t span(const float *a, int n) {
    const float *p = a;
    while (p < a + n && *p > 0)
        p++;
    return p - a;
}

void scale_rows(float a[][4], int n, const float s[4]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] *= s[j];
}

double polynomial(double x) {
    return fma(x, x, 3.0) - fabs(x) + fmax(x, 0.5) * (x < 0 ? -1.0 : pow(x, 2.0));
}

int wrapped(uint8_t a, int8_t b, unsigned c) {
    uint8_t low = a + b;
    a += 200;
    b--;
    return low + a * b + (int)(c - 1u > 5u) + (c >> 3) + (~c & 15) + (int)(int8_t)c;
}

void unrolled(float *y, const float *x, float alpha, int n) {
    int i = 0;
    for (; i + 3 < n; i += 4) {
        y[i] += alpha * x[i];
        y[i + 1] += alpha * x[i + 1];
        y[i + 2] += alpha * x[i + 2];
        y[i + 3] += alpha * x[i + 3];
    }
    for (; i < n; i++)
        y[i] += alpha * x[i];
}

static void increased(float *x, int n, float *total) {
    for (int i = 0; i < n; i++) {
        x[i] += 1;
        if (total) *total += x[i];
    }
}

void without_total(float *x, int n) { increased(x, n, 0); }

float with_total(float *x, int n) {
    float total = 0;
    increased(x, n, &total);
    return total;
}
