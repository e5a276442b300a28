/* A model of the part of TPC-C that metalift writes: vectors of 2,048 bits, tensors that are reached by coordinates, an index space.
   Every lane knows whether it holds something. What was not written is read by nothing; a lane that a partial load left out, or that
   was made of such a one, can be computed with, but is neither stored nor reduced. Integers of 32 bits must not leave them.
   Names, types and parameters are those of the published intrinsics. */

#ifndef TPC_H
#define TPC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef int int5 __attribute__((ext_vector_type(5)));
typedef int tensor;

void gaudi_model_refuse(const char *why);
int5 get_index_space_offset(void);
int5 get_index_space_size(void);
/* Where the elements at coordinates are: so many, one after the other along the first axis, of a type by its name. */
const void *tpc_read(int5 at, tensor from, int count, const char *type);
void tpc_write(int5 at, tensor to, int count, const char *type, const void *elements);

/* How many instructions there were of each kind. Those that the library makes of several count once. */
enum { TPC_LOAD, TPC_STORE, TPC_VECTOR, TPC_SPECIAL, TPC_KINDS };
void tpc_issued(int kind);

enum { KNOWN = 1, EMPTY = 2 }; /* of a lane; anything else is one that was never written */

static inline uint8_t tpc_lane(uint8_t state) {
    if (state != KNOWN && state != EMPTY)
        gaudi_model_refuse("the model: a vector is read before it is written");
    return state;
}

static inline uint8_t tpc_both(uint8_t one, uint8_t two) {
    return tpc_lane(one) == KNOWN && tpc_lane(two) == KNOWN ? KNOWN : EMPTY;
}

static inline int32_t tpc_word(int64_t value) {
    if (value < INT32_MIN || value > INT32_MAX)
        gaudi_model_refuse("the model: an integer leaves 32 bits");
    return (int32_t)value;
}

static inline int64_t tpc_clip(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

#define VECTOR(V, E, N) typedef struct { E lane[N]; uint8_t state[N]; } V;
VECTOR(float64, float, 64)
VECTOR(int64, int32_t, 64)
VECTOR(uint64, uint32_t, 64)
VECTOR(short128, int16_t, 128)
VECTOR(ushort128, uint16_t, 128)
VECTOR(char256, int8_t, 256)
VECTOR(uchar256, uint8_t, 256)
#define PAIR(P, V) typedef struct { union { struct { V v1, v2; }; V v[2]; }; } P;
#define FOUR(P, V) typedef struct { union { struct { V v1, v2, v3, v4; }; V v[4]; }; } P;
PAIR(float128, float64)
PAIR(int128, int64)
PAIR(uint128, uint64)
PAIR(short256, short128)
PAIR(ushort256, ushort128)
FOUR(float256, float64)
FOUR(int256, int64)
FOUR(uint256, uint64)

/* For each lane an expression of x, and y. */
#define UNARY(NAME, KIND, V, R, N, RESULT) \
    static inline R NAME(V a) { \
        R r; \
        tpc_issued(KIND); \
        for (int l = 0; l < N; l++) { \
            r.lane[l] = 0; \
            if ((r.state[l] = tpc_lane(a.state[l])) == KNOWN) { \
                __typeof__(a.lane[0]) x = a.lane[l]; \
                r.lane[l] = (RESULT); \
            } \
        } \
        return r; \
    }
#define BINARY(NAME, V, N, RESULT) \
    static inline V NAME(V a, V b) { \
        V r; \
        tpc_issued(TPC_VECTOR); \
        for (int l = 0; l < N; l++) { \
            r.lane[l] = 0; \
            if ((r.state[l] = tpc_both(a.state[l], b.state[l])) == KNOWN) { \
                __typeof__(a.lane[0]) x = a.lane[l], y = b.lane[l]; \
                r.lane[l] = (RESULT); \
            } \
        } \
        return r; \
    }
/* c where x and y compare so, else d. */
#define SELECT(NAME, V, R, N, COMPARED) \
    static inline R NAME(V a, V b, R c, R d) { \
        R r; \
        tpc_issued(TPC_VECTOR); \
        for (int l = 0; l < N; l++) { \
            r.lane[l] = 0; \
            r.state[l] = tpc_both(a.state[l], b.state[l]); \
            tpc_both(c.state[l], d.state[l]); \
            if (r.state[l] == KNOWN) { \
                __typeof__(a.lane[0]) x = a.lane[l], y = b.lane[l]; \
                r.state[l] = (COMPARED) ? c.state[l] : d.state[l]; \
                r.lane[l] = (COMPARED) ? c.lane[l] : d.lane[l]; \
            } \
        } \
        return r; \
    }
#define SELECTS(R, RT, V, VT) \
    SELECT(v_##RT##_sel_less_##VT##_b, V, R, 64, x < y) \
    SELECT(v_##RT##_sel_leq_##VT##_b, V, R, 64, x <= y) \
    SELECT(v_##RT##_sel_eq_##VT##_b, V, R, 64, x == y)
/* A number in all lanes; loads of so many elements, less one, into the lanes from an offset on; stores of those. */
#define MEMORY(V, E, T, N) \
    static inline V v_##T##_mov_b(E x) { \
        V r; \
        tpc_issued(TPC_VECTOR); \
        for (int l = 0; l < N; l++) { \
            r.lane[l] = x; \
            r.state[l] = KNOWN; \
        } \
        return r; \
    } \
    static inline V v_##T##_ld_tnsr_partial_b( \
        int5 at, tensor from, int size, int offset, int switches, V income, bool predicate, bool polarity) { \
        if (predicate == polarity) \
            return income; \
        if (size < 0 || offset < 0 || size + offset >= N || switches != 0) \
            gaudi_model_refuse("the model: a vector has " #N " lanes of " #T); \
        V r; \
        const E *found = tpc_read(at, from, size + 1, #T); \
        for (int l = 0; l < N; l++) { \
            bool loaded = l >= offset && l <= offset + size; \
            r.lane[l] = loaded ? found[l - offset] : 0; \
            r.state[l] = loaded ? KNOWN : EMPTY; \
        } \
        return r; \
    } \
    static inline void v_##T##_st_tnsr_partial( \
        int5 at, tensor to, V value, int size, int offset, int switches, bool predicate, bool polarity) { \
        if (predicate == polarity) \
            return; \
        if (size < 0 || offset < 0 || size + offset >= N || switches != 0) \
            gaudi_model_refuse("the model: a vector has " #N " lanes of " #T); \
        for (int l = offset; l <= offset + size; l++) \
            if (tpc_lane(value.state[l]) != KNOWN) \
                gaudi_model_refuse("the model: a lane that holds nothing is stored"); \
        tpc_write(at, to, size + 1, #T, value.lane + offset); \
    } \
    static inline V v_##T##_ld_g(struct tpc_address from) { \
        V r; \
        E x = *(const E *)tpc_read(from.at, from.from, 1, #T); \
        for (int l = 0; l < N; l++) { \
            r.lane[l] = x; \
            r.state[l] = KNOWN; \
        } \
        return r; \
    }
/* All lanes together, two and two; the result is in every lane. */
#define REDUCTION(NAME, V, RESULT) \
    static inline V NAME(V a) { \
        tpc_issued(TPC_SPECIAL); \
        for (int l = 0; l < 64; l++) \
            if (tpc_lane(a.state[l]) != KNOWN) \
                gaudi_model_refuse("the model: a lane that holds nothing is reduced"); \
        for (int step = 32; step > 0; step /= 2) \
            for (int l = 0; l < step; l++) { \
                __typeof__(a.lane[0]) x = a.lane[l], y = a.lane[l + step]; \
                a.lane[l] = (RESULT); \
            } \
        for (int l = 1; l < 64; l++) \
            a.lane[l] = a.lane[0]; \
        return a; \
    }

struct tpc_address { int5 at; tensor from; };

static inline struct tpc_address gen_addr(int5 at, tensor from) {
    return (struct tpc_address){at, from};
}

static inline int s_i32_min(int x, int y) {
    return x < y ? x : y;
}

static inline int s_i32_max(int x, int y) {
    return x > y ? x : y;
}

static inline float s_f32_min(float x, float y) {
    return x < y ? x : y;
}

static inline float s_f32_max(float x, float y) {
    return x > y ? x : y;
}

MEMORY(float64, float, f32, 64)
MEMORY(int64, int32_t, i32, 64)
MEMORY(uint64, uint32_t, u32, 64)
MEMORY(short128, int16_t, i16, 128)
MEMORY(ushort128, uint16_t, u16, 128)
MEMORY(char256, int8_t, i8, 256)
MEMORY(uchar256, uint8_t, u8, 256)

static inline uint64 tpc_lane_ids(void) {
    uint64 r = v_u32_mov_b(0);
    for (int l = 0; l < 64; l++)
        r.lane[l] = (uint32_t)l;
    return r;
}
#define V_LANE_ID_32 tpc_lane_ids()

BINARY(v_f32_add_b, float64, 64, x + y)
BINARY(v_f32_sub_b, float64, 64, x - y)
BINARY(v_f32_mul_b, float64, 64, x * y)
BINARY(v_i32_add_b, int64, 64, tpc_word((int64_t)x + y))
BINARY(v_i32_sub_b, int64, 64, tpc_word((int64_t)x - y))
BINARY(v_i32_and_b, int64, 64, x & y)
BINARY(v_i32_or_b, int64, 64, x | y)
BINARY(v_i32_xor_b, int64, 64, x ^ y)
#define EXTREMES(V, T, N) \
    BINARY(v_##T##_min_b, V, N, y < x ? y : x) \
    BINARY(v_##T##_max_b, V, N, y > x ? y : x)
EXTREMES(float64, f32, 64)
EXTREMES(int64, i32, 64)
EXTREMES(short128, i16, 128)
EXTREMES(ushort128, u16, 128)
EXTREMES(char256, i8, 256)
EXTREMES(uchar256, u8, 256)

SELECTS(float64, f32, float64, f32)
SELECTS(float64, f32, int64, i32)
SELECTS(float64, f32, uint64, u32)
SELECTS(int64, i32, float64, f32)
SELECTS(int64, i32, int64, i32)
SELECTS(int64, i32, uint64, u32)

REDUCTION(v_f32_reduce_add, float64, x + y)
REDUCTION(v_f32_reduce_max, float64, y > x ? y : x)
REDUCTION(v_i32_reduce_add, int64, tpc_word((int64_t)x + y))
REDUCTION(v_i32_reduce_max, int64, y > x ? y : x)

UNARY(v_f32_abs_b, TPC_VECTOR, float64, float64, 64, fabsf(x))
UNARY(v_i32_abs_b, TPC_VECTOR, int64, int64, 64, tpc_word(x < 0 ? -(int64_t)x : x))
UNARY(v_exp_f32, TPC_SPECIAL, float64, float64, 64, expf(x))
UNARY(v_log_f32, TPC_SPECIAL, float64, float64, 64, logf(x))
UNARY(v_sqrt_f32, TPC_SPECIAL, float64, float64, 64, sqrtf(x))
UNARY(v_rsqrt_f32, TPC_SPECIAL, float64, float64, 64, 1.0f / sqrtf(x))
UNARY(v_reciprocal_f32, TPC_SPECIAL, float64, float64, 64, 1.0f / x)
UNARY(v_sin_f32, TPC_SPECIAL, float64, float64, 64, sinf(x))
UNARY(v_cos_f32, TPC_SPECIAL, float64, float64, 64, cosf(x))
UNARY(convert_int64_to_float64, TPC_VECTOR, int64, float64, 64, (float)x)
UNARY(convert_uint64_to_int64, TPC_VECTOR, uint64, int64, 64, tpc_word(x))
BINARY(v_pow_f32, float64, 64, powf(x, y))

/* A logical shift: of what is negative it makes another number than a division would. */
static inline int32_t tpc_shifted(int32_t x, int32_t by) {
    if (by < 0 || by > 31)
        gaudi_model_refuse("the model: a shift by what is no number of bits");
    return (int32_t)((uint32_t)x >> by);
}
BINARY(v_i32_shr_b, int64, 64, tpc_shifted(x, y))

/* The low words of products in v1, the high ones in v2. */
static inline int128 v_i32_mul_b(int64 a, int64 b) {
    int128 r;
    tpc_issued(TPC_VECTOR);
    for (int l = 0; l < 64; l++) {
        r.v1.state[l] = r.v2.state[l] = tpc_both(a.state[l], b.state[l]);
        int64_t made = r.v1.state[l] == KNOWN ? (int64_t)a.lane[l] * b.lane[l] : 0;
        r.v1.lane[l] = (int32_t)(uint32_t)(uint64_t)made;
        r.v2.lane[l] = (int32_t)(made >> 32);
    }
    return r;
}

/* Products of narrow integers have 32 bits; lanes keep their order. */
#define WIDENING(T, V, R, N) \
    static inline R v_##T##_mul_b(V a, V b) { \
        R r; \
        tpc_issued(TPC_VECTOR); \
        for (int l = 0; l < N; l++) { \
            uint8_t state = tpc_both(a.state[l], b.state[l]); \
            r.v[l / 64].state[l % 64] = state; \
            r.v[l / 64].lane[l % 64] = state == KNOWN ? a.lane[l] * b.lane[l] : 0; \
        } \
        return r; \
    }
WIDENING(u8, uchar256, uint256, 256)
WIDENING(i8, char256, int256, 256)
WIDENING(u16, ushort128, uint128, 128)
WIDENING(i16, short128, int128, 128)

/* Narrow integers as words, and back, where what does not fit is saturated. */
#define CONVERSIONS(V, R, N, LOW, HIGH) \
    static inline R convert_##V##_to_##R(V a) { \
        R r; \
        tpc_issued(TPC_VECTOR); \
        for (int l = 0; l < N; l++) { \
            r.v[l / 64].state[l % 64] = tpc_lane(a.state[l]); \
            r.v[l / 64].lane[l % 64] = a.lane[l]; \
        } \
        return r; \
    } \
    static inline V convert_##R##_to_##V(R a) { \
        V r; \
        tpc_issued(TPC_VECTOR); \
        for (int l = 0; l < N; l++) { \
            r.state[l] = tpc_lane(a.v[l / 64].state[l % 64]); \
            r.lane[l] = (__typeof__(r.lane[0]))tpc_clip(a.v[l / 64].lane[l % 64], LOW, HIGH); \
        } \
        return r; \
    }
CONVERSIONS(uchar256, int256, 256, 0, UINT8_MAX)
CONVERSIONS(char256, int256, 256, INT8_MIN, INT8_MAX)
CONVERSIONS(ushort128, int128, 128, 0, UINT16_MAX)
CONVERSIONS(short128, int128, 128, INT16_MIN, INT16_MAX)

#endif
