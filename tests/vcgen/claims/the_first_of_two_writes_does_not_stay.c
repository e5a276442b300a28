// claim: return = 1:i32
// expect: REFUTED
int f(int a, int b, int *t) {
  t[a] = 1;
  t[b] = 2;
  return t[a];
}
