// claim: return = fold(max(1, int(n)), 0:i32, s, k: s + x[k])
// expect: PROVED
int f(int n, const int *x) {
  int s = 0, i = 0;
  do {
    s += x[i];
    i++;
  } while (i < n);
  return s;
}
