// claim: return = i_1 if int(i_1) < int(n) - 1 else -1:i32
// expect: REFUTED
int first(const int *x, int n, int v) {
  for (int i = 0; i < n; i++)
    if (x[i] == v) return i;
  return -1;
}
