// claim: return = a // b
// expect: REFUTED
int f(int a, int b) {
  return a / b;
}
