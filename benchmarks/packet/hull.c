/* HULL (Alizadeh et al. 2012): a phantom queue, drained more slowly than the link, marks packets before a real queue builds up. */
#include <stdint.h>

#define THRESHOLD 3000

struct state {
    uint32_t last_arrival;
    uint32_t queue;
};

struct packet {
    uint32_t now;
    uint32_t length;
    uint32_t mark;
};

void phantom_queue(struct state *s, struct packet *p) {
    uint32_t drained = p->now - s->last_arrival;
    s->last_arrival = p->now;
    if (s->queue > drained)
        s->queue -= drained;
    else
        s->queue = 0;
    p->mark = s->queue > THRESHOLD;
}
