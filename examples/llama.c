/* The arithmetic of a small transformer's inference, as plain C: weights are flat pointers, buffers belong to the caller. */
#include <math.h>

/* o = x / rms(x) * weight; o may be x itself */
void rmsnorm(float *o, float *x, float *weight, int size) {
    // mean of squares
    float ss = 0.0f;
    for (int j = 0; j < size; j++) {
        ss += x[j] * x[j];
    }
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    // normalise and scale
    for (int j = 0; j < size; j++) {
        o[j] = weight[j] * (ss * x[j]);
    }
}

/* in place; the maximum is subtracted first, so that no exponential overflows */
void softmax(float *x, int size) {
    float max_val = x[0];
    for (int i = 1; i < size; i++) {
        if (x[i] > max_val) {
            max_val = x[i];
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        x[i] = expf(x[i] - max_val);
        sum += x[i];
    }
    for (int i = 0; i < size; i++) {
        x[i] /= sum;
    }
}

/* W (d,n) @ x (n,) -> xout (d,) */
void matmul(float *xout, float *x, float *w, int n, int d) {
    for (int i = 0; i < d; i++) {
        float val = 0.0f;
        for (int j = 0; j < n; j++) {
            val += w[i * n + j] * x[j];
        }
        xout[i] = val;
    }
}

/* scores of one head's query against the keys of positions 0..pos; a row of the key cache holds all heads (dim floats) */
void attention_score(float *att, const float *q, const float *key_cache, int head, int head_size, int dim, int pos) {
    const float *query = q + head * head_size;
    for (int t = 0; t <= pos; t++) {
        const float *key = key_cache + t * dim + head * head_size;
        float score = 0.0f;
        for (int i = 0; i < head_size; i++) {
            score += query[i] * key[i];
        }
        score /= sqrtf(head_size);
        att[t] = score;
    }
}

/* x * sigmoid(x), in place */
void silu(float *x, int n) {
    for (int i = 0; i < n; i++) {
        x[i] = x[i] * (1.0f / (1.0f + expf(-x[i])));
    }
}

/* the gate of the feed-forward block: hb = silu(hb) * hb2 */
void swiglu(float *hb, const float *hb2, int hidden_dim) {
    for (int i = 0; i < hidden_dim; i++) {
        float val = hb[i];
        val *= (1.0f / (1.0f + expf(-val)));
        val *= hb2[i];
        hb[i] = val;
    }
}

/* a = a * b, element by element */
void mul(float *a, const float *b, int n) {
    for (int i = 0; i < n; i++) {
        a[i] *= b[i];
    }
}

/* the residual connection: x = x + delta */
void residual_add(float *x, const float *delta, int dim) {
    for (int i = 0; i < dim; i++) {
        x[i] += delta[i];
    }
}
