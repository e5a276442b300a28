#include <assert.h>

int gcd(int a, int b) {
  assert(a > 0 && b > 0);
  while (a != b) {
    if (a > b) a -= b; else b -= a;
  }
  return a;
}

int digit_sum(int n) {
  assert(n >= 0);
  int s = 0;
  while (n > 0) { s += n % 10; n /= 10; }
  return s;
}

int lower_bound(const int *a, int n, int x) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (a[mid] < x) lo = mid + 1; else hi = mid;
  }
  return lo;
}

double power(double b, int e) {
  assert(e >= 0);
  double r = 1.0;
  while (e > 0) {
    if (e % 2 == 1) r *= b;
    b *= b;
    e /= 2;
  }
  return r;
}

void merge(const int *a, int n, const int *b, int m, int *c) {
  int i = 0, j = 0;
  while (i < n || j < m) {
    if (j >= m || (i < n && a[i] <= b[j])) { c[i + j] = a[i]; i++; } else { c[i + j] = b[j]; j++; }
  }
}
