// claim: o = update(o, [i] = x[0] for i < int(n))
// expect: REFUTED
void f(int n, int *o, int *x) {
  x[0] = 7;
  for (int i = 0; i < n; i++)
    o[i] = x[0];
}
