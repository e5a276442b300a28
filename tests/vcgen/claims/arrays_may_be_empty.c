// claim: return = (1:i32 if 0 < len(x) else 0:i32)
// expect: REFUTED
int f(const int *x) {
  return 1;
}
