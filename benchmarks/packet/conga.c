/* CONGA (Alizadeh et al. 2014): a leaf keeps the least loaded path to each other leaf, from what the packets report. */
#include <stdint.h>

#define LEAVES 256

struct state {
    uint32_t best_load[LEAVES];
    uint32_t best_path[LEAVES];
};

struct packet {
    uint32_t source;
    uint32_t load;
    uint32_t path;
};

void conga_update(struct state *s, const struct packet *p) {
    uint32_t leaf = p->source % LEAVES;
    if (p->load < s->best_load[leaf]) {
        s->best_load[leaf] = p->load;
        s->best_path[leaf] = p->path;
    } else if (p->path == s->best_path[leaf]) {
        s->best_load[leaf] = p->load;
    }
}
