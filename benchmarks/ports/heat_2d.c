void heat_2d(const float *u, float *out, int h, int w, float k)
{
    for (int i = 1; i < h - 1; i++) {
        for (int j = 1; j < w - 1; j++) {
            float c = u[i * w + j];
            out[i * w + j] = c + k * (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1] - 4 * c);
        }
    }
}
