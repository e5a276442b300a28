#include <math.h>

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
