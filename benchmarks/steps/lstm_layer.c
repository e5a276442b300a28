#include <math.h>

static float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

/*
 * An LSTM cell over a sequence of `len` inputs of `in` numbers.
 * W: 4 * hid by in, U: 4 * hid by hid, bias: 4 * hid, in the order input gate, forget gate, candidate, output gate.
 * h, c: the state, also the last one; z: 4 * hid numbers of work space; out: h after each input.
 */
void lstm_layer(const float *x, const float *W, const float *U, const float *bias, float *h, float *c, float *z, float *out,
                int len, int in, int hid) {
    for (int t = 0; t < len; t++) {
        for (int r = 0; r < 4 * hid; r++) {
            float acc = bias[r];
            for (int j = 0; j < in; j++) acc += W[r * in + j] * x[t * in + j];
            for (int j = 0; j < hid; j++) acc += U[r * hid + j] * h[j];
            z[r] = acc;
        }
        for (int j = 0; j < hid; j++) {
            float keep = logistic(z[hid + j]) * c[j];
            c[j] = keep + logistic(z[j]) * tanhf(z[2 * hid + j]);
            h[j] = logistic(z[3 * hid + j]) * tanhf(c[j]);
            out[t * hid + j] = h[j];
        }
    }
}
