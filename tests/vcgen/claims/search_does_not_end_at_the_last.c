// claim: return = fold(int(n), -1:i32, acc, i: i32(i) if x[i] == v else acc)
// expect: REFUTED
int first(const int *x, int n, int v) {
  for (int i = 0; i < n; i++)
    if (x[i] == v) return i;
  return -1;
}
