// claim: return = fold(int(n) - 1, 0:i32, s, k: s + x[k])
// expect: REFUTED
int f(int n, const int *x) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}
