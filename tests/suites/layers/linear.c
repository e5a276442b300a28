#include <stddef.h>
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC)
{
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            float *out_bt = out + b * T * OC + t * OC;
            const float *inp_bt = inp + b * T * C + t * C;
            for (int o = 0; o < OC; o++) {
                float val = bias[o];
                const float *wrow = weight + o * C;
                for (int i = 0; i < C; i++) val += inp_bt[i] * wrow[i];
                out_bt[o] = val;
            }
        }
}
