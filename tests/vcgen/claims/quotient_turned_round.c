// claim: return = b / a
// expect: REFUTED
float f(float a, float b) {
  return a / b;
}
