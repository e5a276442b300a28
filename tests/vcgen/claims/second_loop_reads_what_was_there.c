// claim: x = update(x, [i] = x[i] * 2:i32 for i < int(n))
// expect: REFUTED
void f(int n, int *x) {
  for (int i = 0; i < n; i++)
    x[i] = x[i] + 1;
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 2;
}
