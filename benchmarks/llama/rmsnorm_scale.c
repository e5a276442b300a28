#include <math.h>

/* the second half of rmsnorm: each element by its weight and the root of the mean square */
void rmsnorm_scale(float *o, const float *x, const float *weight, float ss, int size) {
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < size; j++) {
        o[j] = weight[j] * (ss * x[j]);
    }
}
