/* what one head gives: the values up to a position, weighted by their attention */
void attention_output(float *xb, const float *att, const float *value_cache, int head, int head_size, int dim, int pos) {
    float *out = xb + head * head_size;
    for (int i = 0; i < head_size; i++) {
        out[i] = 0.0f;
    }
    for (int t = 0; t <= pos; t++) {
        const float *v = value_cache + t * dim + head * head_size;
        float a = att[t];
        for (int i = 0; i < head_size; i++) {
            out[i] += a * v[i];
        }
    }
}
