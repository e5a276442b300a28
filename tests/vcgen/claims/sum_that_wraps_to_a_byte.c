// claim: return = i32(fold(int(n), 0:u8, s, k: u8(int(s) + int(x[k]))))
// expect: REFUTED
int f(int n, const int *x) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}
