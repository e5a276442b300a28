// claim: return = i32(u8(int(a) + int(b)))
// expect: PROVED
int f(unsigned char a, unsigned char b) {
  unsigned char c = a + b;
  return c;
}
