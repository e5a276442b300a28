/* Flowlet switching (Sinha, Kandula, Katabi 2004): a burst that comes after a pause may take another path. */
#include <stdint.h>

#define FLOWLETS 1024
#define PAUSE 5

struct state {
    uint32_t last_time[FLOWLETS];
    uint32_t saved_hop[FLOWLETS];
};

struct packet {
    uint32_t sport, dport;
    uint32_t arrival;
    uint32_t new_hop;
    uint32_t next_hop;
};

/* the hash units of the switch */
static uint32_t hash_word(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 0x9E3779B1u;
    return hash ^ (hash >> 15);
}

static uint32_t hash2(uint32_t a, uint32_t b) {
    return hash_word(hash_word(0x811C9DC5u, a), b);
}

void flowlet_hop(struct state *s, struct packet *p) {
    uint32_t id = hash2(p->sport, p->dport) % FLOWLETS;
    if (p->arrival - s->last_time[id] > PAUSE)
        s->saved_hop[id] = p->new_hop;
    s->last_time[id] = p->arrival;
    p->next_hop = s->saved_hop[id];
}
