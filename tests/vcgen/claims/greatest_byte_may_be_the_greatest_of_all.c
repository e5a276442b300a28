// claim: return = i32(m_1) if int(m_1) < 255 else 0:i32
// expect: REFUTED
int f(int n, const unsigned char *x) {
  unsigned char m = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > m) m = x[i];
  return m;
}
