// claim: return = a * b / (b * b) + 0.5:f32
// expect: REFUTED
float f(float a, float b) {
  return a / b;
}
