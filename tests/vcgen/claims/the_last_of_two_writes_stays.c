// claim: return = 2:i32 if int(a) == int(b) else 1:i32
// expect: PROVED
int f(int a, int b, int *t) {
  t[a] = 1;
  t[b] = 2;
  return t[a];
}
