// claim: o = update(o, [p] = fold(int(n), o[p], acc, i: x[i] if int(at[i]) == p else acc) for p < 256)
// expect: PROVED
void put(int *o, const unsigned char *at, const int *x, int n) {
  for (int i = 0; i < n; i++) o[at[i]] = x[i];
}
