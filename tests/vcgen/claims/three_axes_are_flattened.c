// claim: y = update(y, [(b * int(n) + i) * int(m) + j] = x[i] for b < int(l), i < int(n), j < int(m))
// expect: PROVED
void f(const float *x, float *y, int l, int n, int m) {
  for (int b = 0; b < l; b++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        y[(b * n + i) * m + j] = x[i];
}
