// claim: return = a / b
// expect: PROVED
float f(float a, float b) {
  return a / b;
}
