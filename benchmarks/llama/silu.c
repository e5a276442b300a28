#include <math.h>

void silu(float *x, int n) {
    for (int i = 0; i < n; i++) {
        x[i] = x[i] * (1.0f / (1.0f + expf(-x[i])));
    }
}
