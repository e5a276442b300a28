/* Types, saturation and instances of a library for signals in fixed point and in float, as such libraries for small processors write them. */
#ifndef DSP_H
#define DSP_H
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef int8_t q7_t;
typedef int16_t q15_t;
typedef int32_t q31_t;
typedef int64_t q63_t;
typedef float float32_t;

typedef enum { DSP_OK = 0, DSP_SIZE_MISMATCH = -3 } dsp_status;

/* the value in a word of `bits` bits: what the processor's saturating instruction gives */
static inline int32_t saturate(int32_t value, uint32_t bits) {
    if (bits >= 1U && bits <= 32U) {
        const int32_t max = (int32_t)((1U << (bits - 1U)) - 1U);
        const int32_t min = -1 - max;
        if (value > max) {
            return max;
        } else if (value < min) {
            return min;
        }
    }
    return value;
}

/* without a branch on the value: all ones or none, from the sign */
static inline q31_t narrow_q63(q63_t value) {
    return ((q31_t)(value >> 32) != ((q31_t)value >> 31)) ? (0x7FFFFFFF ^ ((q31_t)(value >> 63))) : (q31_t)value;
}

static inline q31_t add_saturating(q31_t a, q31_t b) { return narrow_q63((q63_t)a + b); }

typedef struct {
    uint16_t numRows;
    uint16_t numCols;
    float32_t *pData;
} matrix_f32;

typedef struct {
    uint16_t numRows;
    uint16_t numCols;
    q15_t *pData;
} matrix_q15;

typedef struct {
    uint16_t numTaps;
    float32_t *pState;
    const float32_t *pCoeffs;
} fir_instance_f32;

typedef struct {
    uint16_t numTaps;
    q15_t *pState;
    const q15_t *pCoeffs;
} fir_instance_q15;

typedef struct {
    uint32_t numStages;
    float32_t *pState;
    const float32_t *pCoeffs;
} biquad_instance_f32;

typedef struct {
    int8_t numStages;
    q31_t *pState;
    const q31_t *pCoeffs;
    uint8_t postShift;
} biquad_instance_q31;

typedef struct {
    uint16_t numTaps;
    float32_t *pState;
    float32_t *pCoeffs;
    float32_t mu;
} lms_instance_f32;

typedef struct {
    float32_t A0;
    float32_t A1;
    float32_t A2;
    float32_t state[3];
    float32_t Kp;
    float32_t Ki;
    float32_t Kd;
} pid_instance_f32;
#endif
