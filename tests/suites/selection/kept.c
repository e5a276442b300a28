#include <stddef.h>

int positives(float *out, const float *x, int n) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0) out[k++] = x[i];
  return k;
}

size_t band(float *out, const float *x, size_t n, float low, float high) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    if (x[i] < low) continue;
    if (x[i] > high) continue;
    out[count] = 2 * x[i];
    count++;
  }
  return count;
}

int behind(float *out, const float *x, int n) {
  float *p = out;
  for (const float *q = x; q < x + n; q++)
    if (*q != 0) *p++ = *q;
  return p - out;
}

int squeezed(float *x, int n) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (x[i] != 0) x[k++] = x[i];
  return k;
}

float kept_and_summed(float *out, const float *x, int n) {
  int k = 0;
  float s = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > 1 && x[i] < 9) out[k++] = x[i];
    s += x[i];
  }
  return s;
}

int parted(float *low, float *high, const float *x, int n, float t) {
  int a = 0, b = 0;
  for (int i = 0; i < n; i++)
    if (x[i] < t)
      low[a++] = x[i];
    else
      high[b++] = x[i];
  return a;
}
