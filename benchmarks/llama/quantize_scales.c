#include <math.h>

/* the scale of each group: its greatest magnitude as 127 */
void quantize_scales(float *s, const float *x, int groups, int GS) {
    for (int group = 0; group < groups; group++) {
        float wmax = 0.0f;
        for (int i = 0; i < GS; i++) {
            float val = fabsf(x[group * GS + i]);
            if (val > wmax) {
                wmax = val;
            }
        }
        s[group] = wmax / 127.0f;
    }
}
