/* DNS TTL change tracking (EXPOSURE, Bilge et al. 2011): how often the time to live of a domain changes. */
#include <stdint.h>

#define DOMAINS 1024

struct state {
    uint32_t seen[DOMAINS];
    uint32_t last_ttl[DOMAINS];
    uint32_t changes[DOMAINS];
};

struct packet {
    uint32_t domain, server;
    uint32_t ttl;
    uint32_t changes;
};

/* the hash units of the switch */
static uint32_t hash_word(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 0x9E3779B1u;
    return hash ^ (hash >> 15);
}

static uint32_t hash2(uint32_t a, uint32_t b) {
    return hash_word(hash_word(0x811C9DC5u, a), b);
}

void track_ttl(struct state *s, struct packet *p) {
    uint32_t id = hash2(p->domain, p->server) % DOMAINS;
    if (!s->seen[id]) {
        s->seen[id] = 1;
        s->last_ttl[id] = p->ttl;
        s->changes[id] = 0;
    } else if (s->last_ttl[id] != p->ttl) {
        s->last_ttl[id] = p->ttl;
        s->changes[id]++;
    }
    p->changes = s->changes[id];
}
