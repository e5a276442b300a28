// claim: return = tdiv(a, 2:i32)
// expect: REFUTED
int f(int a) {
  return a >> 1;
}
