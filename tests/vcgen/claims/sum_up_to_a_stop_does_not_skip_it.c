// claim: return = fold(int(n), 0:i32, acc, i: acc + (0:i32 if x[i] < 0:i32 else x[i]))
// expect: REFUTED
int sum_until(const int *x, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] < 0) break;
    s += x[i];
  }
  return s;
}
