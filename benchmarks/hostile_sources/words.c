#include <stdint.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>

// bytes are averaged in int: no wrap of a + b at 8 bits
void average_bytes(const uint8_t *a, const uint8_t *b, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (a[i] + b[i]) / 2;
}

// byte accumulator wraps at 256; np.sum widens
uint8_t checksum_byte(const uint8_t *a, int n) {
    uint8_t s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}

// accumulator narrower than the elements
int16_t sum_narrow(const int *a, int n) {
    int16_t s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}

// a[i] < t compares as unsigned: negatives are large
int count_below_unsigned(const int *a, int n, unsigned t) {
    int c = 0;
    for (int i = 0; i < n; i++) if (a[i] < t) c++;
    return c;
}

// here the unsigned is widened to int64, so the comparison is the mathematical one
int less_wide(int64_t a, unsigned b) {
    return a < b;
}

// byte difference is a signed int; NumPy uint8 difference is never negative
int count_darker(const uint8_t *a, const uint8_t *b, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) if (a[i] - b[i] < 0) c++;
    return c;
}

// unsigned a - b > 0 means a != b, not a > b
int differs_unsigned(unsigned a, unsigned b) {
    return a - b > 0;
}

// int division truncates toward zero; // and >> floor
void halve_toward_zero(const int *a, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] / 2;
}

// % takes the sign of the dividend
void remainder_signed(const int *a, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] % 5;
}

// the int operand of % becomes unsigned first
int remainder_unsigned(int a, unsigned m) {
    return m == 0 ? 0 : a % m;
}

// logical shift of the unsigned pattern; NumPy int >> is arithmetic
void shift_logical(const int *a, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (unsigned)a[i] >> 1;
}

// ~ of a byte is a negative int, ones are shifted in from above
void inverted_high(const uint8_t *a, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = ~a[i] >> 4;
}

// saturation detected by the wrap of the byte s; in mathematical integers never true
void add_saturate(const uint8_t *a, const uint8_t *b, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) {
        uint8_t s = a[i] + b[i];
        if (s < a[i]) s = 255;
        o[i] = s;
    }
}

// the overflow test is in int and never true; in uint8 arithmetic it would fire
void add_never_saturates(const uint8_t *a, const uint8_t *b, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] + b[i] < a[i] ? 255 : a[i] + b[i];
}

// the counter wraps after 255 hits
int count_in_byte(const uint8_t *a, int n, int k) {
    uint8_t c = 0;
    for (int i = 0; i < n; i++) if (a[i] > k) c++;
    return c;
}

// the index runs through 255 back to 0 when stop < start; range() is empty
int sum_cyclic(uint8_t start, uint8_t stop) {
    int s = 0;
    for (uint8_t i = start; i != stop; i++) s += i;
    return s;
}

// -(-128) does not fit an int8_t and stays -128
void abs_narrow(const int8_t *a, int8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] < 0 ? -a[i] : a[i];
}

// |INT_MIN| is right as unsigned; np.abs on int32 stays negative
unsigned abs_unsigned(int x) {
    return x < 0 ? -(unsigned)x : x;
}

// widened before subtracting: no 32-bit wrap
int64_t absdiff_wide(int a, int b) {
    int64_t d = (int64_t)a - b;
    return d < 0 ? -d : d;
}

// products wrap at 32 bits before they are added to a 64-bit sum
uint64_t dot_wrap32(const unsigned *a, const unsigned *b, int n) {
    uint64_t s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

// d is a byte: characters below '0' become large, not negative
int sum_digits(const uint8_t *s, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) {
        uint8_t d = s[i] - '0';
        if (d < 10) t += d;
    }
    return t;
}

// signed characters are sign-extended into an unsigned 32-bit hash that wraps
unsigned hash_signed_chars(const int8_t *s, int n) {
    unsigned h = 5381;
    for (int i = 0; i < n; i++) h = h * 33 + s[i];
    return h;
}

// wraps at 16 bits at each step; a bounded Horner sum modulo 2^16, not 2^32
uint16_t hash16(const uint8_t *a, int n) {
    uint16_t h = 7;
    for (int i = 0; i < n; i++) h = h * 31 + a[i];
    return h;
}

// 0 counts as a power of two because 0 & (0 - 1) is 0
int is_pow2_or_zero(unsigned x) {
    return (x & (x - 1)) == 0;
}

// x may have the top bit: as int32 the >> never reaches 0, abs / log2 go wrong
int bit_length(unsigned x) {
    int c = 0;
    while (x) {
        x >>= 1;
        c++;
    }
    return c;
}

// bits shifted out on the left must be dropped; unbounded ints keep them
unsigned rotate_left(unsigned x, int k) {
    k &= 31;
    return (x << k) | (x >> ((32 - k) & 31));
}

// a << 1 is an int, so >> 1 restores the top bit
void shift_there_and_back(const uint8_t *a, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (a[i] << 1) >> 1;
}

// 12-bit two's complement field, not a plain mask
void sign_extend12(const uint16_t *a, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = ((a[i] & 0xfff) ^ 0x800) - 0x800;
}

// ~0u is 32 bits wide although the result is 64 bits
uint64_t high_mask(int k) {
    return ~0u << (k & 31);
}

// the unsigned sum wraps before it is halved
unsigned average_wrap(unsigned a, unsigned b) {
    return (a + b) / 2;
}

// (a + b - 1) / b is ceiling only for positive a
int ceil_div_positive(int a, int b) {
    return b <= 0 ? 0 : (a + b - 1) / b;
}

// unsigned reversed loop ends by wrapping below 0
unsigned horner_reversed(const unsigned *a, unsigned n) {
    unsigned s = 0;
    for (unsigned i = n - 1; i < n; i--) s = s * 10 + a[i];
    return s;
}

// 0xff is 255 and never equals an int8_t; careless compares bit patterns
int count_marker(const int8_t *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) if (a[i] == 0xff) c++;
    return c;
}

// Q15 product of -1 by -1 wraps to -1
void multiply_q15(const int16_t *a, const int16_t *b, int16_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (a[i] * b[i]) >> 15;
}

// the byte difference wraps first, then is squared in int
int squared_wrapped(const uint8_t *a, const uint8_t *b, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        uint8_t d = a[i] - b[i];
        s += d * d;
    }
    return s;
}
