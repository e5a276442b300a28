// claim: return = a >> 1:i32
// expect: PROVED
int f(int a) {
  return a >> 1;
}
