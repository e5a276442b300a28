/* normal blend of floats: o*a + (1-o)*b */
void normal_f(float *out, const float *base, const float *active, int n, float opacity) {
    for (int i = 0; i < n; i++) {
        out[i] = opacity * active[i] + (1.0f - opacity) * base[i];
    }
}
