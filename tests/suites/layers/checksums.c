#include <stdint.h>
#include <stddef.h>
uint8_t xor_of_bytes(const uint8_t *d, size_t n) { uint8_t c = 0; for (size_t i = 0; i < n; i++) c ^= d[i]; return c; }
uint16_t or_of_words(const uint16_t *d, int n) { uint16_t c = 0; for (int i = 0; i < n; i++) c |= d[i]; return c; }
int8_t and_of_bytes(const int8_t *d, int n) { int8_t c = -1; for (int i = 0; i < n; i++) c &= d[i]; return c; }
void hide(uint8_t *p, const uint8_t *m, int n) { for (int i = 0; i < n; i++) p[i] ^= m[i] & 0xf0; }
void set_low_bit(uint8_t *p, const uint8_t *m, int n) { for (int i = 0; i < n; i++) p[i] = ~p[i] ^ (m[i] | 1); }
uint8_t parity(const uint8_t *d, int n) { uint8_t c = 0; for (int i = 0; i < n; i++) c ^= d[i] & 1; return c; }
