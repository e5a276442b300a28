#include <stdint.h>

void histogram(int *h, const int *b, int n) {
  for (int i = 0; i < n; i++) h[b[i]]++;
}

void bytes(int *h, const uint8_t *x, int n) {
  for (int i = 0; i < 256; i++) h[i] = 0;
  for (int i = 0; i < n; i++) h[x[i]]++;
}

void weighted(float *h, const int *b, const float *w, int n) {
  for (int i = 0; i < n; i++) h[b[i]] += w[i];
}

void masked(int *h, const int *b, const int *w, int n) {
  for (int i = 0; i < n; i++)
    if (w[i] > 0) h[b[i]] += w[i];
}

void table(uint8_t *o, const uint8_t *x, const uint8_t *t, int n) {
  for (int i = 0; i < n; i++) o[i] = t[x[i]];
}

void gathered(float *o, const float *x, const int *at, int n) {
  for (int i = 0; i < n; i++) o[i] = x[at[i]];
}
