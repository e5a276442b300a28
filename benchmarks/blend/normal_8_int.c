/* normal blend, opacity in 255ths, not normalised: o*a + (255-o)*b */
void normal_8(int *out, const int *base, const int *active, int n, int opacity) {
    for (int i = 0; i < n; i++) {
        out[i] = opacity * active[i] + (255 - opacity) * base[i];
    }
}
