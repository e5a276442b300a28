// claim: h = update(h, [p] = h[p] + fold(int(n), 0, acc, i: acc + (1 if int(b[i]) == p else 0)) for p < 256)
// expect: PROVED
void bins(int *h, const unsigned char *b, int n) {
  for (int i = 0; i < n; i++) h[b[i]]++;
}
