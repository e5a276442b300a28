// claim: return = u64(int(n) - 1)
// expect: PROVED
unsigned long f(unsigned long n) {
  return n - 1;
}
