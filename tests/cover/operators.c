#include <math.h>
#include <stdint.h>

/* One function for each operator that a loop nest may become. */

void correlate(float *o, const float *x, const float *w, int n, int k) {
    for (int i = 0; i + k <= n; i++) { o[i] = 0; for (int j = 0; j < k; j++) o[i] += x[i + j] * w[j]; }
}
void convolve(float *o, const float *x, const float *w, int n, int k) {
    for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < k; j++) s += x[i + k - 1 - j] * w[j]; o[i] = s; }
}
void correlate_3x3(float *o, const float *x, const float *w, int h, int wd) {
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < wd - 1; j++) {
            float s = 0;
            for (int a = -1; a <= 1; a++) for (int b = -1; b <= 1; b++) s += x[(i + a) * wd + j + b] * w[(a + 1) * 3 + b + 1];
            o[i * wd + j] = s;
        }
}
void moving_average(float *o, const float *x, int n, int k) {
    for (int i = 0; i + k <= n; i++) { float s = 0; for (int j = 0; j < k; j++) s += x[i + j]; o[i] = s / k; }
}
void prefix_maxima(float *o, const float *x, int n) {
    float s = x[0];
    for (int i = 0; i < n; i++) { s = s > x[i] ? s : x[i]; o[i] = s; }
}
void row_prefix_sums(float *o, const float *x, int m, int n) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) { s += x[i * n + j]; o[i * n + j] = s; } }
}
float inner(const float *a, const float *b, int m, int n) {
    float s = 0;
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) s += a[i * n + j] * b[i * n + j];
    return s;
}
void row_inner(float *o, const float *a, const float *b, int m, int n) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j] * b[i * n + j]; o[i] = s; }
}
void sum_outer_and_inner(float *o, const float *x, int a, int b, int c) {
    for (int j = 0; j < b; j++) {
        float s = 0;
        for (int i = 0; i < a; i++) for (int k = 0; k < c; k++) s += x[(i * b + j) * c + k];
        o[j] = s;
    }
}
void row_mean(float *o, const float *x, int m, int n) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += x[i * n + j]; o[i] = s / n; }
}
void row_norm(float *o, const float *x, int m, int n) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += x[i * n + j] * x[i * n + j]; o[i] = sqrtf(s); }
}
void column_max(float *o, const float *x, int m, int n) {
    for (int j = 0; j < n; j++) { float s = x[j]; for (int i = 1; i < m; i++) s = fmaxf(s, x[i * n + j]); o[j] = s; }
}
void row_argmax(int *o, const float *x, int m, int n) {
    for (int i = 0; i < m; i++) { int b = 0; for (int j = 1; j < n; j++) if (x[i * n + j] > x[i * n + b]) b = j; o[i] = b; }
}
void identity(float *o, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) o[i * n + j] = i == j ? 1.0f : 0.0f; }
void gelu(float *o, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        float c = 0.7978845608028654f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
        o[i] = 0.5f * x[i] * (1.0f + tanhf(c));
    }
}
void to_even(float *o, const float *x, int n) { for (int i = 0; i < n; i++) o[i] = rintf(x[i]); }
void pad(float *o, const float *x, int n, int p) {
    for (int i = 0; i < n + 2 * p; i++) o[i] = (i >= p && i < n + p) ? x[i - p] : 0.0f;
}
int last_peak(const float *x, int n) {
    int at = 0;
    for (int i = 1; i < n; i++) at = x[i] < x[at] ? at : i;
    return at;
}
int last_dip(const int *x, int n) {
    int at = 0;
    for (int i = 1; i < n; i++)
        if (!(x[at] < x[i])) at = i;
    return at;
}
