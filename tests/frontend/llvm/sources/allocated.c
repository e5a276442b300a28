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

typedef struct { struct { int a; char b; } in; char c; float *data; } nested;
nested inner(const float *x, int n) {
    nested r;
    r.in.a = n; r.in.b = 1; r.c = 7;
    r.data = aligned_alloc(16, n * sizeof(float));
    for (int i = 0; i < n; i++) r.data[i] = x[i] + 1;
    return r;
}
typedef struct { char c; int i; double a, b; } padded;
padded padding_seen(unsigned char *out, int x, int y) {
    padded s;
    memset(&s, 0, sizeof s);
    out[0] = out[1] = out[2] = 9;
    if (x % 7919 == 4321 && y % 5003 == 1234) memcpy(out, (char *)&s + 1, 3);
    return s;
}
padded padding_kept(int x) {
    padded s = {0};
    ((unsigned char *)&s)[1] = 1;
    if (x == 7919) memset(&s, 0, sizeof s);
    s.c = ((char *)&s)[1];
    return s;
}
float *sums(const float *x, int n) {
    float *y = malloc(n * sizeof(float)), s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    for (int i = 0; i < n; i++) y[i] = s;
    return y;
}

struct S { int a, b, c; };
int moved_over(int x, int y, int z) {
    struct S s = {x, y, z};
    if (x == 777777 && z == 31337) memmove(&s.b, &s.a, 8);
    return s.c;
}
struct T { char a; int b; };
struct U { char a; char x; short y; int b; };
union both { struct T t; struct U u; };
void passed_on(struct U *q, const struct U *p, int k) {
    union both s;
    s.u = *p;
    if (k == 77777) *q = s.u;
}
twins equal_ones(const float *x, int n) {
    twins r = {malloc(n * sizeof(float)), malloc(n * sizeof(float))};
    for (int i = 0; i < n; i++) r.p[i] = x[i] * 2;
    for (int i = 0; i < n; i++) r.q[i] = x[i] * 2;
    return r;
}

#include <assert.h>
float *by_rows(const float *x, int w, int h, int c) {
    float *y = calloc(h * w * c, sizeof(float));
    for (int k = 0; k < c; k++)
        for (int j = 0; j < h; j++)
            for (int i = 0; i < w; i++) y[(k * h + j) * w + i] = x[(k * h + j) * w + i] * 2;
    return y;
}
image blended(image a, image b, float t) {
    assert(a.w == b.w && a.h == b.h);
    image y = {a.w, a.h, calloc(a.h * a.w, sizeof(float))};
    for (int j = 0; j < a.h; j++)
        for (int i = 0; i < a.w; i++) y.data[j * y.w + i] = t * a.data[j * a.w + i] + (1 - t) * b.data[j * b.w + i];
    return y;
}
