// claim: y = update(y, [i * (int(w) - int(k) + 1) + j] = x[i * (int(w) + 1) + j] for i < int(h), j < int(w) - int(k) + 1)
// expect: REFUTED
void f(const float *x, float *y, int h, int w, int k) {
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w - k + 1; j++)
      y[i * (w - k + 1) + j] = x[i * w + j];
}
