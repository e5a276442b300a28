/* normal blend with a float opacity */
void normal_f(float *out, const float *base, const float *active, int n, float opacity) {
    while (n--) {
        *out++ = opacity * *active++ + (1 - opacity) * *base++;
    }
}
