// claim: return = trem(a, 4:i32)
// expect: PROVED
int f(int a) {
  return a % 4;
}
