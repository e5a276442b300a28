/* 2-D convolution over all positions where the kernel fits; `in` is width wide */
void convolution_2d(const float *in, int width, const float *w, int kh, int kw, float *out, int oh, int ow) {
    for (int y = 0; y < oh; y++) {
        for (int x = 0; x < ow; x++) {
            float sum = 0;
            for (int i = 0; i < kh; i++) {
                for (int j = 0; j < kw; j++) {
                    sum += in[(y + i) * width + x + j] * w[i * kw + j];
                }
            }
            out[y * ow + x] = sum;
        }
    }
}
