// claim: o = update(o, [i] = 7:i32 for i < int(n))
// expect: PROVED
void f(int n, int *o, int *x) {
  x[0] = 7;
  for (int i = 0; i < n; i++)
    o[i] = x[0];
}
