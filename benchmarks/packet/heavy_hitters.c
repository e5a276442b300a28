/* Heavy hitters: a count-min sketch with three rows; a flow is heavy when all of its counters are. */
#include <stdint.h>

#define COUNTERS 1024
#define LOW 100
#define HIGH 1000

struct state {
    uint32_t row1[COUNTERS];
    uint32_t row2[COUNTERS];
    uint32_t row3[COUNTERS];
};

struct packet {
    uint32_t sport, dport;
    uint32_t heavy;
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

void count_flow(struct state *s, struct packet *p) {
    uint32_t id1 = hash2(p->sport, p->dport) % COUNTERS;
    uint32_t id2 = hash3(p->sport, p->dport, 1) % COUNTERS;
    uint32_t id3 = hash3(p->sport, p->dport, 2) % COUNTERS;
    uint32_t count1 = s->row1[id1];
    uint32_t count2 = s->row2[id2];
    uint32_t count3 = s->row3[id3];
    s->row1[id1] = count1 + 1;
    s->row2[id2] = count2 + 1;
    s->row3[id3] = count3 + 1;
    p->heavy = count1 > LOW && count1 < HIGH && count2 > LOW && count2 < HIGH && count3 > LOW && count3 < HIGH;
}
