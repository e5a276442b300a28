// claim: return = 1:i32 if fold(int(n) - 1, True, acc, i: acc and x[i + 1] == y[i + 1]) else 0:i32
// expect: REFUTED
int equal_arrays(const int *x, const int *y, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != y[i]) return 0;
  return 1;
}
