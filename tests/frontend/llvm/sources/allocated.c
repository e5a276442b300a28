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
