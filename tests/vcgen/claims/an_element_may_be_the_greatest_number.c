// claim: return = i32(x[0]) if int(x[0]) < 255 else 0:i32
// expect: REFUTED
int f(const unsigned char *x) {
  return x[0];
}
