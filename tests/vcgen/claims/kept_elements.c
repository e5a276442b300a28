// claim: out = update(out, [p] = [x[i] for i < int(n) where 0 < x[i]][p] for p < len([x[i] for i < int(n) where 0 < x[i]]))
// expect: PROVED
int kept(float *out, const float *x, int n) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0) out[k++] = x[i];
  return k;
}
