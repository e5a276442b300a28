/* A learning filter: a Bloom filter with three rows that reports each flow when it is first seen. */
#include <stdint.h>

#define BITS 1024

struct state {
    uint32_t row1[BITS];
    uint32_t row2[BITS];
    uint32_t row3[BITS];
};

struct packet {
    uint32_t sport, dport;
    uint32_t member;
};

/* the hash units of the switch */
static uint32_t hash_word(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 0x9E3779B1u;
    return hash ^ (hash >> 15);
}

static uint32_t hash2(uint32_t a, uint32_t b) {
    return hash_word(hash_word(0x811C9DC5u, a), b);
}

static uint32_t hash3(uint32_t a, uint32_t b, uint32_t c) {
    return hash_word(hash_word(hash_word(0x811C9DC5u, a), b), c);
}

void learn_flow(struct state *s, struct packet *p) {
    uint32_t id1 = hash2(p->sport, p->dport) % BITS;
    uint32_t id2 = hash3(p->sport, p->dport, 1) % BITS;
    uint32_t id3 = hash3(p->sport, p->dport, 2) % BITS;
    p->member = s->row1[id1] && s->row2[id2] && s->row3[id3];
    s->row1[id1] = 1;
    s->row2[id2] = 1;
    s->row3[id3] = 1;
}
