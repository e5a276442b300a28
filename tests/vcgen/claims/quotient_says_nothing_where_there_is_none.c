// claim: return = (a / b if not b == 0.0:f32 else 1.0:f32)
// expect: REFUTED
float f(float a, float b) {
  return b != 0 ? a / b : 0;
}
