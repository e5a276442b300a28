// claim: y = update(y, [(i * int(w) + int(w) - 1 - j) * int(c) + k] = x[(i * int(w) + j) * int(c) + k] for i < int(h), j < int(w), k < int(c))
// expect: PROVED
void f(const float *x, float *y, int h, int w, int c) {
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      for (int k = 0; k < c; k++)
        y[(i * w + (w - 1 - j)) * c + k] = x[(i * w + j) * c + k];
}
