/* Sources whose summaries are covered in the tests. What each becomes is in test_covered_kernels.py. */
#include <math.h>
#include <stdint.h>

float dot(const float *x, const float *y, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
float sum(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
float sum_from(const float *x, int n, float s) { for (int i = 0; i < n; i++) s += x[i]; return s; }
float mean_square(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s / n; }
float difference_norm(const float *x, const float *y, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) { float d = x[i] - y[i]; s += d * d; }
    return sqrtf(s);
}
float product(const double *x, int n) { double p = 1; for (int i = 0; i < n; i++) p *= x[i]; return (float)p; }
int greatest(const int *x, int n) { int m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }
float least_from(const float *x, int n) { float m = 1e30f; for (int i = 0; i < n; i++) m = x[i] < m ? x[i] : m; return m; }
int count_above(const float *x, int n, float t) { int c = 0; for (int i = 0; i < n; i++) if (x[i] > t) c++; return c; }
float sum_above(const float *x, const float *w, int n, float t) {
    float s = 0;
    for (int i = 0; i < n; i++) if (x[i] > t) s += w[i];
    return s;
}
unsigned checksum(const uint8_t *p, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
float moments(const float *x, int n, float *variance) {
    float s = 0, q = 0;
    for (int i = 0; i < n; i++) { s += x[i]; q += x[i] * x[i]; }
    float m = s / n;
    *variance = q / n - m * m;
    return m;
}
float total(const float *a, int h, int w) {
    float s = 0;
    for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) s += a[i * w + j];
    return s;
}

void axpy(float *y, const float *x, float a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
void blend(uint8_t *o, const uint8_t *a, const uint8_t *b, uint8_t t, int n) {
    for (int i = 0; i < n; i++) o[i] = (t * a[i] + (255 - t) * b[i]) / 255;
}
void burn(uint8_t *o, const uint8_t *a, const uint8_t *b, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] == 0 ? 255 : 255 - (255 - b[i]) / a[i];
}
void burn_int(int *o, const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] == 0 ? 255 : 255 - (255 - b[i]) / a[i];
}
void guarded_quotient(int *o, const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) { if (a[i] > 2 && b[i] > 0) o[i] = a[i] / b[i] + a[i] % b[i]; else o[i] = -1; }
}
void darken(uint8_t *o, const uint8_t *a, const uint8_t *b, int n) {
    for (int i = 0; i < n; i++) { if (a[i] > b[i]) o[i] = b[i]; else o[i] = a[i]; }
}
void saturate(uint8_t *o, const int *x, int n) { for (int i = 0; i < n; i++) { int v = x[i]; o[i] = v < 0 ? 0 : v > 255 ? 255 : v; } }
void threshold(uint8_t *o, const uint8_t *x, int t, int n) { for (int i = 0; i < n; i++) o[i] = x[i] > t ? 255 : 0; }
void rotate_bits(uint8_t *o, const uint8_t *a, int n) { for (int i = 0; i < n; i++) o[i] = (a[i] >> 2) | ((a[i] & 3) << 6); }
void gray(uint8_t *o, const uint8_t *rgb, int n) {
    for (int i = 0; i < n; i++) o[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}
void negate_saturated(int *o, const int *a, int n) { for (int i = 0; i < n; i++) o[i] = a[i] == INT32_MIN ? INT32_MAX : -a[i]; }
void shift_up(int *o, const int *a, int s, int n) { for (int i = 0; i < n; i++) o[i] = a[i] << s; }
void remainders(int *o, const int *a, int n) { for (int i = 0; i < n; i++) o[i] = a[i] % 7; }
void magnitudes(float *o, const float *a, int n) { for (int i = 0; i < n; i++) o[i] = a[i] < 0 ? -a[i] : a[i]; }
float peak(const float *x, int n) { float m = 0; for (int i = 0; i < n; i++) if (fabsf(x[i]) > m) m = fabsf(x[i]); return m; }
void relu(float *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] > 0 ? x[i] : 0; }
void silu(float *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * (1.0f / (1.0f + expf(-x[i]))); }
void ramp(float *o, float a, float b, int n) { for (int i = 0; i < n; i++) o[i] = i * a + b; }
void fill(float *o, float v, int n) { for (int i = 0; i < n; i++) o[i] = v; }
void reverse(float *o, const float *a, int n) { for (int i = 0; i < n; i++) o[i] = a[n - 1 - i]; }
void every_other(float *o, const float *a, int n) { for (int i = 0; i < n; i++) o[i] = a[2 * i + 1]; }
void strided(float *o, const float *a, int n, int step) { for (int i = 0; i < n; i++) o[i] = a[i * step]; }
void look_up(uint8_t *o, const uint8_t *image, const uint8_t *table, int n) { for (int i = 0; i < n; i++) o[i] = table[image[i]]; }
void smooth(float *o, const float *x, int n) { for (int i = 1; i < n - 1; i++) o[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1]; }
void clear_odd(int *a, int n) { for (int i = 0; i < n; i++) if (a[i] % 2) a[i] = 0; }

void gemv(float *y, const float *a, const float *x, int m, int n) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j] * x[j]; y[i] = s; }
}
void gemv_lda(float *y, const float *a, const float *x, int m, int n, int lda) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += a[i * lda + j] * x[j]; y[i] = s; }
}
void gemv_transposed(float *y, const float *a, const float *x, int m, int n) {
    for (int j = 0; j < n; j++) { float s = 0; for (int i = 0; i < m; i++) s += a[i * n + j] * x[i]; y[j] = s; }
}
void gemm(float *c, const float *a, const float *b, int m, int n, int k, float alpha, float beta) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int p = 0; p < k; p++) s += a[i * k + p] * b[p * n + j];
            c[i * n + j] = alpha * s + beta * c[i * n + j];
        }
}
void outer(float *o, const float *a, const float *b, int m, int n) {
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) o[i * n + j] = a[i] * b[j];
}
void add_bias(float *o, const float *a, const float *b, int m, int n) {
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) o[i * n + j] = a[i * n + j] + b[j];
}
void transpose(float *o, const float *a, int m, int n) {
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) o[j * m + i] = a[i * n + j];
}
void row_sums(float *o, const float *a, int m, int n) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j]; o[i] = s; }
}

void rmsnorm(float *o, const float *x, const float *weight, int size) {
    float ss = 0.0f;
    for (int j = 0; j < size; j++) ss += x[j] * x[j];
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < size; j++) o[j] = weight[j] * (ss * x[j]);
}
void softmax(float *x, int size) {
    float max_val = x[0];
    for (int i = 1; i < size; i++) if (x[i] > max_val) max_val = x[i];
    float sum = 0.0f;
    for (int i = 0; i < size; i++) { x[i] = expf(x[i] - max_val); sum += x[i]; }
    for (int i = 0; i < size; i++) x[i] /= sum;
}
void layer_norm(float *o, const float *x, const float *w, const float *b, int n) {
    float m = 0;
    for (int i = 0; i < n; i++) m += x[i];
    m /= n;
    float v = 0;
    for (int i = 0; i < n; i++) { float d = x[i] - m; v += d * d; }
    v /= n;
    float s = 1.0f / sqrtf(v + 1e-5f);
    for (int i = 0; i < n; i++) o[i] = (x[i] - m) * s * w[i] + b[i];
}
void attention(float *att, const float *q, const float *k, int pos, int head, int dim, int hs) {
    for (int t = 0; t <= pos; t++) {
        float score = 0.0f;
        for (int i = 0; i < hs; i++) score += q[head * hs + i] * k[t * dim + head * hs + i];
        att[t] = score / sqrtf(hs);
    }
}
void swap(float *a, float *b, int n) { for (int i = 0; i < n; i++) { float t = a[i]; a[i] = b[i]; b[i] = t; } }
void scale_then_shift(float *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; for (int i = 0; i < n; i++) a[i] += a[i] * a[i]; }
int fused(int base, int arg1, int base2, int arg2) { int a = (base + base2) + arg1 * arg2; return a + a; }

void differences(float *o, const float *x, int n) { for (int i = 0; i < n; i++) o[i] = i > 0 ? x[i] - x[i - 1] : x[i]; }
void edges(float *o, const float *x, int n) {
    o[0] = x[0];
    for (int i = 1; i < n - 1; i++) o[i] = (x[i - 1] + x[i + 1]) * 0.5f;
    o[n - 1] = x[n - 1];
}
void alternate(int *o, const int *x, int n) { for (int i = 0; i < n; i++) o[i] = i % 2 == 0 ? x[i] : -x[i]; }
void prefix_sums(float *o, const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) { s += x[i]; o[i] = s; } }
int arg_max(const float *x, int n) { int b = 0; for (int i = 1; i < n; i++) if (x[i] > x[b]) b = i; return b; }
int any_negative(const float *x, int n) { int r = 0; for (int i = 0; i < n; i++) if (x[i] < 0) r = 1; return r; }
void unsigned_minimum(unsigned *o, const unsigned *a, const unsigned *b, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] < b[i] ? a[i] : b[i];
}
void rotary(float *o, const float *q, const float *c, const float *s, int n) {
    for (int i = 0; i < n; i++) {
        o[2 * i] = q[2 * i] * c[i] - q[2 * i + 1] * s[i];
        o[2 * i + 1] = q[2 * i] * s[i] + q[2 * i + 1] * c[i];
    }
}
void convolve(float *y, const float *x, const float *h, int n, int m) {
    for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) s += h[k] * x[i + m - 1 - k]; y[i] = s; }
}
int sum_of_squares(int n) { int s = 0; for (int i = 1; i <= n; i++) s += i * i; return s; }
int parity_of_floor(float x) { int n = (int)floorf(x); return n % 2 == 0 ? n : -n; }
float half_sum(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) if (x[i] > 0) s += x[i] * 0.5; return s; }
