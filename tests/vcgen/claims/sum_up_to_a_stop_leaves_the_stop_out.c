// claim: return = fold(int(i_1) + 1 if int(i_1) < int(n) else int(i_1), 0:i32, acc, i: acc + x[i])
// expect: REFUTED
int sum_until(const int *x, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] < 0) break;
    s += x[i];
  }
  return s;
}
