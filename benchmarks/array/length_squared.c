/* the squared length of a vector */
float length_squared(const float *v, int n) {
    float out = v[0] * v[0];
    for (int i = 1; i < n; i++) {
        out += v[i] * v[i];
    }
    return out;
}
