// claim: return = -abs(a)
// expect: REFUTED
int f(int a) {
  return a < 0 ? -a : a;
}
