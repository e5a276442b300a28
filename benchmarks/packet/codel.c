/* CoDel (Nichols, Jacobson 2012), at the head of the queue: packets are dropped while all of them have waited too long.
 * The interval between drops is constant here; in a host it is divided by the square root of the count. */
#include <stdint.h>

#define TARGET 5
#define INTERVAL 100

struct state {
    uint32_t first_above_time;
    uint32_t drop_next;
    uint32_t count;
};

struct packet {
    uint32_t now;
    uint32_t enqueued;
    uint32_t drop;
};

void codel_dequeue(struct state *s, struct packet *p) {
    uint32_t waited = p->now - p->enqueued;
    uint32_t late = 0;
    if (waited < TARGET)
        s->first_above_time = 0;
    else if (s->first_above_time == 0)
        s->first_above_time = p->now + INTERVAL;
    else
        late = p->now >= s->first_above_time;
    p->drop = 0;
    if (!late) {
        s->count = 0;
    } else if (s->count == 0) {
        s->count = 1;
        s->drop_next = p->now + INTERVAL;
        p->drop = 1;
    } else if (p->now >= s->drop_next) {
        s->count++;
        s->drop_next += INTERVAL;
        p->drop = 1;
    }
}
