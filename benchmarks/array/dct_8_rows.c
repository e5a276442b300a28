/* 8-point DCT of each row of 8, with a table of the cosines */
void dct_8(const float *in, const float table[8][8], float *out, int rows) {
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < 8; k++) {
            float sum = 0;
            for (int i = 0; i < 8; i++) {
                sum += table[k][i] * in[r * 8 + i];
            }
            out[r * 8 + k] = sum;
        }
    }
}
