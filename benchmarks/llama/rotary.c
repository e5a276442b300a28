#include <math.h>

/* rotary embedding of one head: each pair is turned by an angle of its own */
void rotary(float *vec, int head_size, int pos) {
    for (int i = 0; i < head_size; i += 2) {
        float freq = 1.0f / powf(10000.0f, i / (float)head_size);
        float val = pos * freq;
        float fcr = cosf(val);
        float fci = sinf(val);
        float v0 = vec[i];
        float v1 = vec[i + 1];
        vec[i] = v0 * fcr - v1 * fci;
        vec[i + 1] = v0 * fci + v1 * fcr;
    }
}
