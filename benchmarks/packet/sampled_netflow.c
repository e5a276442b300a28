/* Sampled NetFlow: one packet in thirty is marked for the collector. */
#include <stdint.h>

#define PERIOD 30

struct state {
    uint32_t count;
};

struct packet {
    uint32_t sample;
};

void sample_packet(struct state *s, struct packet *p) {
    if (s->count == PERIOD - 1) {
        p->sample = 1;
        s->count = 0;
    } else {
        p->sample = 0;
        s->count++;
    }
}
