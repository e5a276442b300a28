// claim: return = tdiv(a, b)
// expect: PROVED
int f(int a, int b) {
  return a / b;
}
