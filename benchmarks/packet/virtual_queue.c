/* Adaptive virtual queue (Kunniyur, Srikant 2001): a queue of less capacity than the link's marks packets, and its capacity adapts. */
#include <stdint.h>

#define BUFFER 15000
#define LINK 100000

struct state {
    uint32_t queue;
    uint32_t capacity;
};

struct packet {
    uint32_t drained; /* what the virtual link has sent since the last packet */
    uint32_t gained;  /* what the link would have sent at the desired utilisation */
    uint32_t length;
    uint32_t mark;
};

void virtual_queue(struct state *s, struct packet *p) {
    uint32_t full = p->drained + (BUFFER - p->length);
    p->mark = s->queue > full;
    if (s->queue > full)
        s->queue -= p->drained;
    else if (s->queue > p->drained)
        s->queue += p->length - p->drained;
    else
        s->queue = p->length;
    if (p->gained > p->length) {
        uint32_t more = p->gained - p->length;
        s->capacity = s->capacity < LINK - more ? s->capacity + more : LINK;
    } else {
        uint32_t less = p->length - p->gained;
        s->capacity = s->capacity > less ? s->capacity - less : 0;
    }
}
