/* Rate Control Protocol (Tai, Zhu, Dukkipati 2008): what a router adds up between two updates of the rate that it offers. */
#include <stdint.h>

#define LONGEST_RTT 30

struct state {
    uint32_t bytes;
    uint32_t rtt_sum;
    uint32_t rtt_count;
};

struct packet {
    uint32_t size;
    uint32_t rtt;
};

void rcp_account(struct state *s, const struct packet *p) {
    s->bytes += p->size;
    if (p->rtt < LONGEST_RTT) {
        s->rtt_sum += p->rtt;
        s->rtt_count++;
    }
}
