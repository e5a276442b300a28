/* Start-time fair queueing (Goyal, Vin, Cheng 1996): the virtual time at which a packet starts, which is its rank in the queue. */
#include <stdint.h>

#define FLOWS 1024

struct state {
    uint32_t last_finish[FLOWS];
};

struct packet {
    uint32_t sport, dport;
    uint32_t length;
    uint32_t virtual_time;
    uint32_t start;
};

/* the hash units of the switch */
static uint32_t hash_word(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 0x9E3779B1u;
    return hash ^ (hash >> 15);
}

static uint32_t hash2(uint32_t a, uint32_t b) {
    return hash_word(hash_word(0x811C9DC5u, a), b);
}

void stfq_rank(struct state *s, struct packet *p) {
    uint32_t id = hash2(p->sport, p->dport) % FLOWS;
    if (s->last_finish[id] > 0 && p->virtual_time < s->last_finish[id]) {
        p->start = s->last_finish[id];
        s->last_finish[id] += p->length;
    } else {
        p->start = p->virtual_time;
        s->last_finish[id] = p->virtual_time + p->length;
    }
}
