// claim: return = i32(a) + i32(b)
// expect: REFUTED
int f(unsigned char a, unsigned char b) {
  unsigned char c = a + b;
  return c;
}
