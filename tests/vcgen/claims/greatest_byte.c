// claim: return = i32(m_1)
// expect: PROVED
int f(int n, const unsigned char *x) {
  unsigned char m = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > m) m = x[i];
  return m;
}
