// claim: return = 1:i32 if fold(int(n), True, acc, i: acc and x[i] == y[i]) else 0:i32
// expect: PROVED
int equal_arrays(const int *x, const int *y, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != y[i]) return 0;
  return 1;
}
