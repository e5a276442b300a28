/* rotary embedding of one head, with tables of cosines and sines */
void rotary(float *vec, const float *cosines, const float *sines, int pairs) {
    for (int i = 0; i < pairs; i++) {
        float v0 = vec[2 * i];
        float v1 = vec[2 * i + 1];
        vec[2 * i] = v0 * cosines[i] - v1 * sines[i];
        vec[2 * i + 1] = v0 * sines[i] + v1 * cosines[i];
    }
}
