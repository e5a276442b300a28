// claim: return = abs(a)
// expect: PROVED
int f(int a) {
  return a < 0 ? -a : a;
}
