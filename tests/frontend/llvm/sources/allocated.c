#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static float *fresh(int n) {
    float *made = malloc(n * sizeof(float));
    if (made == NULL) abort();
    return made;
}
float *checked(const float *x, int n) {
    float *y = malloc(n * sizeof(float));
    if (!y) return NULL;
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    return y;
}
float *through(const float *x, int n) {
    float *y = fresh(n);
    for (int i = 0; i < n; i++) y[i] = 3 * x[i];
    return y;
}
double *outer(const double *a, const double *b, int n, int m) {
    double *c = calloc(n * m, sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) c[i * m + j] = a[i] * b[j];
    return c;
}
unsigned char *inverted(const unsigned char *x, size_t n) {
    unsigned char *y = malloc(n);
    for (size_t i = 0; i < n; i++) y[i] = 255 - x[i];
    return y;
}
float *copied(const float *x, int n) {
    float *y = malloc(n * sizeof *y);
    memcpy(y, x, n * sizeof *y);
    return y;
}
float *freed(const float *x, int n) {
    float *y = fresh(n);
    for (int i = 0; i < n; i++) y[i] = x[i];
    free(y);
    return y;
}
float *inside(const float *x, int n) {
    float *y = fresh(n + 1);
    for (int i = 0; i <= n; i++) y[i] = x[i];
    return y + 1;
}
float *odd(const float *x, int n) {
    float *y = malloc(n);
    for (int i = 0; i < n / 4; i++) y[i] = x[i];
    return y;
}
float *given(float *x, int n) {
    for (int i = 0; i < n; i++) x[i] *= 2;
    return x;
}
float *also_elsewhere(const float *x, float **out, int n) {
    float *y = fresh(n);
    for (int i = 0; i < n; i++) y[i] = x[i];
    *out = y;
    return y;
}

// In structs

typedef struct { int w, h; float *data; } image;
typedef struct { int16_t *low; char kind; unsigned *high; int64_t n; } halves;
typedef struct { float *p, *q; } twins;
static image make(int w, int h) {
    image out = {w, h, calloc(w * h, sizeof(float))};
    return out;
}
image scaled(image im, float a) {
    image out = make(im.w, im.h);
    for (int i = 0; i < im.w * im.h; i++) out.data[i] = a * im.data[i];
    return out;
}
image transposed(image im) {
    image out = im;
    out.w = im.h; out.h = im.w;
    out.data = malloc(im.w * im.h * sizeof(float));
    for (int y = 0; y < im.h; y++)
        for (int x = 0; x < im.w; x++) out.data[x * im.h + y] = im.data[y * im.w + x];
    return out;
}
halves split(const unsigned *x, int n) {
    halves r;
    r.low = malloc(n * sizeof *r.low); r.high = malloc(n * sizeof *r.high); r.kind = 's'; r.n = n;
    for (int i = 0; i < n; i++) { r.low[i] = (int16_t)(x[i] & 0x7fff); r.high[i] = x[i] >> 15; }
    return r;
}
float released(image im) {
    image copy = scaled(im, 2);
    float s = 0;
    for (int i = 0; i < copy.w * copy.h; i++) s += copy.data[i];
    free(copy.data);
    return s;
}
twins same_twice(const float *x, int n) {
    twins r;
    r.p = malloc(n * sizeof(float)); r.q = r.p;
    for (int i = 0; i < n; i++) r.p[i] = x[i];
    return r;
}
image around(float *x, int w, int h) { image out = {w, h, x}; return out; }
image freed_data(int w, int h) { image out = make(w, h); free(out.data); return out; }
