// claim: return = 0:i32 if fold(int(n), False, acc, i: acc or not x[i] == y[i]) else 1:i32
// expect: PROVED
int equal_arrays(const int *x, const int *y, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != y[i]) return 0;
  return 1;
}
