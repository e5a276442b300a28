/* out = in + c */
void offset(const float *in, float *out, float c, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = in[i] + c;
    }
}
