float mystery(float x);

float f(float x) {
    return mystery(x) + 1.0f; // UNSUPPORTED: mystery
}
