// claim: return = i32(u8(300:i32)) + a
// expect: PROVED
int f(int a) {
  return a + (unsigned char)(a - a + 300);
}
