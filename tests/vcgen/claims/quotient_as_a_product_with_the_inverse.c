// claim: return = a * (1.0:f32 / b)
// expect: PROVED
float f(float a, float b) {
  return a / b;
}
