#include <math.h>

/*
 * State-space model whose step width, input and output depend on the position.
 * x, delta, y: len by dim; A, h: dim by ns; B, C: len by ns; D: dim. h is the state, also the last one.
 */
void selective_scan(const float *x, const float *delta, const float *A, const float *B, const float *C, const float *D, float *h,
                    float *y, int len, int dim, int ns) {
    int t, d, s;

    for (t = 0; t < len; t++) {
        for (d = 0; d < dim; d++) {
            float dt = delta[t * dim + d];
            float in = x[t * dim + d];
            float acc = D[d] * in;
            for (s = 0; s < ns; s++) {
                h[d * ns + s] = expf(dt * A[d * ns + s]) * h[d * ns + s] + dt * B[t * ns + s] * in;
                acc += C[t * ns + s] * h[d * ns + s];
            }
            y[t * dim + d] = acc;
        }
    }
}
