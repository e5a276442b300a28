#include <stdint.h>

/* n pseudo-random bits of a Galois shift register with the given taps; returns the state to go on from */
uint32_t shift_register(uint32_t state, uint32_t taps, uint8_t *bits, int n) {
    for (int i = 0; i < n; i++) {
        uint32_t low = state & 1u;
        bits[i] = (uint8_t)low;
        state >>= 1;
        if (low) {
            state ^= taps;
        }
    }
    return state;
}
