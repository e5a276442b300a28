/* Inference for Llama-style transformers: the forward pass of one token in one function. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int dim;        /* width of the residual stream */
    int hidden_dim; /* width of the feed-forward layer */
    int n_layers;
    int n_heads;
    int n_kv_heads; /* fewer than n_heads with grouped queries */
    int vocab_size;
    int seq_len;
} Config;

typedef struct {
    float *token_embedding; /* (vocab_size, dim) */
    float *rms_att;         /* (layer, dim) */
    float *rms_ffn;         /* (layer, dim) */
    float *wq;              /* (layer, dim, dim) */
    float *wk;              /* (layer, kv_dim, dim) */
    float *wv;              /* (layer, kv_dim, dim) */
    float *wo;              /* (layer, dim, dim) */
    float *w1;              /* (layer, hidden_dim, dim) */
    float *w2;              /* (layer, dim, hidden_dim) */
    float *w3;              /* (layer, hidden_dim, dim) */
    float *rms_final;       /* (dim) */
    float *wcls;            /* (vocab_size, dim) */
} Weights;

typedef struct {
    float *x;       /* the residual stream (dim) */
    float *xb;      /* normalised input of a block (dim) */
    float *xb2;     /* output of a block (dim) */
    float *hb;      /* (hidden_dim) */
    float *hb2;     /* (hidden_dim) */
    float *q;       /* (dim) */
    float *k;       /* (kv_dim) */
    float *v;       /* (kv_dim) */
    float *att;     /* (n_heads, seq_len) */
    float *logits;  /* (vocab_size) */
    float *key_cache;   /* (layer, seq_len, kv_dim) */
    float *value_cache; /* (layer, seq_len, kv_dim) */
} RunState;

typedef struct {
    Config config;
    Weights weights;
    RunState state;
} Transformer;

/* Logits of the token that follows `token` at position `pos`; returns the most likely one. */
int forward(Transformer *transformer, int token, int pos) {
    Config *p = &transformer->config;
    Weights *w = &transformer->weights;
    RunState *s = &transformer->state;
    float *x = s->x;
    int dim = p->dim;
    int hidden_dim = p->hidden_dim;
    int head_size = dim / p->n_heads;
    int kv_dim = (p->dim * p->n_kv_heads) / p->n_heads;
    int kv_mul = p->n_heads / p->n_kv_heads;

    if (token < 0 || token >= p->vocab_size) {
        fprintf(stderr, "token %d is not in the vocabulary\n", token);
        exit(EXIT_FAILURE);
    }

    /* the token's embedding is the first input */
    float *content_row = w->token_embedding + token * dim;
    for (int i = 0; i < dim; i++) {
        x[i] = content_row[i];
    }

    for (int l = 0; l < p->n_layers; l++) {

        /* attention: rmsnorm */
        float ss = 0.0f;
        for (int j = 0; j < dim; j++) {
            ss += x[j] * x[j];
        }
        ss /= dim;
        ss += 1e-5f;
        ss = 1.0f / sqrtf(ss);
        for (int j = 0; j < dim; j++) {
            s->xb[j] = w->rms_att[l * dim + j] * (ss * x[j]);
        }

        /* where this position's keys and values go */
        int loff = l * p->seq_len * kv_dim;
        float *key_cache_row = s->key_cache + loff + pos * kv_dim;
        float *value_cache_row = s->value_cache + loff + pos * kv_dim;

        /* query, key and value of this position */
        float *wq = w->wq + l * dim * dim;
        for (int i = 0; i < dim; i++) {
            float val = 0.0f;
            for (int j = 0; j < dim; j++) {
                val += wq[i * dim + j] * s->xb[j];
            }
            s->q[i] = val;
        }
        float *wk = w->wk + l * dim * kv_dim;
        for (int i = 0; i < kv_dim; i++) {
            float val = 0.0f;
            for (int j = 0; j < dim; j++) {
                val += wk[i * dim + j] * s->xb[j];
            }
            s->k[i] = val;
        }
        float *wv = w->wv + l * dim * kv_dim;
        for (int i = 0; i < kv_dim; i++) {
            float val = 0.0f;
            for (int j = 0; j < dim; j++) {
                val += wv[i * dim + j] * s->xb[j];
            }
            s->v[i] = val;
        }

        /* rotary embedding of the queries, pair by pair */
        for (int i = 0; i < dim; i += 2) {
            int head_dim = i % head_size;
            float freq = 1.0f / powf(10000.0f, head_dim / (float)head_size);
            float angle = pos * freq;
            float fcr = cosf(angle);
            float fci = sinf(angle);
            float v0 = s->q[i];
            float v1 = s->q[i + 1];
            s->q[i] = v0 * fcr - v1 * fci;
            s->q[i + 1] = v0 * fci + v1 * fcr;
        }
        /* and of the keys */
        for (int i = 0; i < kv_dim; i += 2) {
            int head_dim = i % head_size;
            float freq = 1.0f / powf(10000.0f, head_dim / (float)head_size);
            float angle = pos * freq;
            float fcr = cosf(angle);
            float fci = sinf(angle);
            float v0 = s->k[i];
            float v1 = s->k[i + 1];
            s->k[i] = v0 * fcr - v1 * fci;
            s->k[i + 1] = v0 * fci + v1 * fcr;
        }

        /* remember them */
        for (int i = 0; i < kv_dim; i++) {
            key_cache_row[i] = s->k[i];
        }
        for (int i = 0; i < kv_dim; i++) {
            value_cache_row[i] = s->v[i];
        }

        /* attention, head by head */
        for (int h = 0; h < p->n_heads; h++) {
            float *q = s->q + h * head_size;
            float *att = s->att + h * p->seq_len;

            /* scores of all positions up to this one */
            for (int t = 0; t <= pos; t++) {
                float *k = s->key_cache + loff + t * kv_dim + (h / kv_mul) * head_size;
                float score = 0.0f;
                for (int i = 0; i < head_size; i++) {
                    score += q[i] * k[i];
                }
                score /= sqrtf(head_size);
                att[t] = score;
            }

            /* softmax */
            float max_val = att[0];
            for (int t = 1; t <= pos; t++) {
                if (att[t] > max_val) {
                    max_val = att[t];
                }
            }
            float sum = 0.0f;
            for (int t = 0; t <= pos; t++) {
                att[t] = expf(att[t] - max_val);
                sum += att[t];
            }
            for (int t = 0; t <= pos; t++) {
                att[t] /= sum;
            }

            /* weighted sum of the values */
            float *xb = s->xb + h * head_size;
            memset(xb, 0, head_size * sizeof(float));
            for (int t = 0; t <= pos; t++) {
                float *v = s->value_cache + loff + t * kv_dim + (h / kv_mul) * head_size;
                float a = att[t];
                for (int i = 0; i < head_size; i++) {
                    xb[i] += a * v[i];
                }
            }
        }

        /* output projection */
        float *wo = w->wo + l * dim * dim;
        for (int i = 0; i < dim; i++) {
            float val = 0.0f;
            for (int j = 0; j < dim; j++) {
                val += wo[i * dim + j] * s->xb[j];
            }
            s->xb2[i] = val;
        }

        /* residual connection */
        for (int i = 0; i < dim; i++) {
            x[i] += s->xb2[i];
        }

        /* feed-forward: rmsnorm */
        ss = 0.0f;
        for (int j = 0; j < dim; j++) {
            ss += x[j] * x[j];
        }
        ss /= dim;
        ss += 1e-5f;
        ss = 1.0f / sqrtf(ss);
        for (int j = 0; j < dim; j++) {
            s->xb[j] = w->rms_ffn[l * dim + j] * (ss * x[j]);
        }

        /* w1(x) and w3(x) in one go */
        for (int i = 0; i < hidden_dim; i++) {
            float gate = 0.0f, up = 0.0f;
            for (int j = 0; j < dim; j++) {
                gate += w->w1[l * dim * hidden_dim + i * dim + j] * s->xb[j];
                up += w->w3[l * dim * hidden_dim + i * dim + j] * s->xb[j];
            }
            s->hb[i] = gate;
            s->hb2[i] = up;
        }

        /* SwiGLU */
        for (int i = 0; i < hidden_dim; i++) {
            float val = s->hb[i];
            val *= (1.0f / (1.0f + expf(-val)));
            val *= s->hb2[i];
            s->hb[i] = val;
        }

        /* back to the width of the residual stream */
        float *w2 = w->w2 + l * dim * hidden_dim;
        for (int i = 0; i < dim; i++) {
            float val = 0.0f;
            for (int j = 0; j < hidden_dim; j++) {
                val += w2[i * hidden_dim + j] * s->hb[j];
            }
            s->xb2[i] = val;
        }
        for (int i = 0; i < dim; i++) {
            x[i] += s->xb2[i];
        }
    }

    /* final rmsnorm */
    float ss = 0.0f;
    for (int j = 0; j < dim; j++) {
        ss += x[j] * x[j];
    }
    ss /= dim;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < dim; j++) {
        x[j] = w->rms_final[j] * (ss * x[j]);
    }

    /* classifier */
    for (int i = 0; i < p->vocab_size; i++) {
        float val = 0.0f;
        for (int j = 0; j < dim; j++) {
            val += w->wcls[i * dim + j] * x[j];
        }
        s->logits[i] = val;
    }

    /* greedy: the most likely token */
    int best = 0;
    float best_val = s->logits[0];
    for (int i = 1; i < p->vocab_size; i++) {
        if (s->logits[i] > best_val) {
            best = i;
            best_val = s->logits[i];
        }
    }

    /* probabilities, for whoever prints them */
    float total = 0.0f;
    for (int i = 0; i < p->vocab_size; i++) {
        s->logits[i] = expf(s->logits[i] - best_val);
        total += s->logits[i];
    }
    for (int i = 0; i < p->vocab_size; i++) {
        s->logits[i] /= total;
    }
    return best;
}
