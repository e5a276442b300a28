// claim: return = a & 3:i32
// expect: REFUTED
int f(int a) {
  return a % 4;
}
