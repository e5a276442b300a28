// claim: return = u64(max(0, int(n) - 1))
// expect: REFUTED
unsigned long f(unsigned long n) {
  return n - 1;
}
