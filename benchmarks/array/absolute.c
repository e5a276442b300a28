#include <math.h>

/* the absolute values */
void absolute(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = fabsf(in[i]);
    }
}
