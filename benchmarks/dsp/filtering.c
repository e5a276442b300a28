/* Filters with their state, and convolutions. */
#include "dsp.h"

void fir_f32(const fir_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    float32_t *pState = S->pState;
    const float32_t *pCoeffs = S->pCoeffs;
    float32_t *pStateCurnt;
    float32_t *px;
    const float32_t *pb;
    float32_t acc0;
    uint32_t numTaps = S->numTaps;
    uint32_t i, tapCnt, blkCnt;

    pStateCurnt = &(S->pState[(numTaps - 1U)]);

    blkCnt = blockSize;
    while (blkCnt > 0U) {
        *pStateCurnt++ = *pSrc++;
        acc0 = 0.0f;
        px = pState;
        pb = pCoeffs;
        i = numTaps;
        while (i > 0U) {
            acc0 += *px++ * *pb++;
            i--;
        }
        *pDst++ = acc0;
        pState = pState + 1U;
        blkCnt--;
    }

    /* the last numTaps - 1 samples are the next block's first */
    pStateCurnt = S->pState;
    tapCnt = numTaps - 1U;
    while (tapCnt > 0U) {
        *pStateCurnt++ = *pState++;
        tapCnt--;
    }
}

void fir_q15(const fir_instance_q15 *S, const q15_t *pSrc, q15_t *pDst, uint32_t blockSize) {
    q15_t *pState = S->pState;
    const q15_t *pCoeffs = S->pCoeffs;
    q15_t *pStateCurnt;
    q15_t *px;
    const q15_t *pb;
    q63_t acc;
    uint32_t numTaps = S->numTaps;
    uint32_t tapCnt, blkCnt;

    pStateCurnt = &(S->pState[(numTaps - 1U)]);

    blkCnt = blockSize;
    while (blkCnt > 0U) {
        *pStateCurnt++ = *pSrc++;
        acc = 0;
        px = pState;
        pb = pCoeffs;
        tapCnt = numTaps;
        do {
            acc += (q31_t)*px++ * *pb++;
            tapCnt--;
        } while (tapCnt > 0U);
        *pDst++ = (q15_t)(saturate((q31_t)(acc >> 15), 16));
        pState = pState + 1U;
        blkCnt--;
    }

    pStateCurnt = S->pState;
    tapCnt = (numTaps - 1U);
    while (tapCnt > 0U) {
        *pStateCurnt++ = *pState++;
        tapCnt--;
    }
}

void biquad_cascade_df1_f32(const biquad_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    const float32_t *pIn = pSrc;
    float32_t *pOut = pDst;
    float32_t *pState = S->pState;
    const float32_t *pCoeffs = S->pCoeffs;
    float32_t acc, b0, b1, b2, a1, a2, Xn1, Xn2, Yn1, Yn2, Xn;
    uint32_t sample, stage = S->numStages;

    do {
        b0 = *pCoeffs++;
        b1 = *pCoeffs++;
        b2 = *pCoeffs++;
        a1 = *pCoeffs++;
        a2 = *pCoeffs++;
        Xn1 = pState[0];
        Xn2 = pState[1];
        Yn1 = pState[2];
        Yn2 = pState[3];

        sample = blockSize;
        while (sample > 0U) {
            Xn = *pIn++;
            acc = (b0 * Xn) + (b1 * Xn1) + (b2 * Xn2) + (a1 * Yn1) + (a2 * Yn2);
            *pOut++ = acc;
            Xn2 = Xn1;
            Xn1 = Xn;
            Yn2 = Yn1;
            Yn1 = acc;
            sample--;
        }

        *pState++ = Xn1;
        *pState++ = Xn2;
        *pState++ = Yn1;
        *pState++ = Yn2;

        /* the first stage goes from input to output, the others from output to output */
        pIn = pDst;
        pOut = pDst;
        stage--;
    } while (stage > 0U);
}

void biquad_df2t_f32(const float32_t *pCoeffs, float32_t *pState, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    float32_t b0 = pCoeffs[0], b1 = pCoeffs[1], b2 = pCoeffs[2], a1 = pCoeffs[3], a2 = pCoeffs[4];
    float32_t d1 = pState[0], d2 = pState[1];
    float32_t Xn1, acc1;
    uint32_t sample = blockSize;

    while (sample > 0U) {
        Xn1 = *pSrc++;
        acc1 = b0 * Xn1 + d1;
        d1 = b1 * Xn1 + d2;
        d1 += a1 * acc1;
        d2 = b2 * Xn1;
        d2 += a2 * acc1;
        *pDst++ = acc1;
        sample--;
    }

    pState[0] = d1;
    pState[1] = d2;
}

void biquad_df1_q31(const biquad_instance_q31 *S, const q31_t *pSrc, q31_t *pDst, uint32_t blockSize) {
    q31_t *pState = S->pState;
    const q31_t *pCoeffs = S->pCoeffs;
    q31_t b0 = pCoeffs[0], b1 = pCoeffs[1], b2 = pCoeffs[2], a1 = pCoeffs[3], a2 = pCoeffs[4];
    q31_t Xn1 = pState[0], Xn2 = pState[1], Yn1 = pState[2], Yn2 = pState[3], Xn;
    uint32_t lShift = 32U - ((uint32_t)S->postShift + 1U);
    uint32_t sample = blockSize;
    q63_t acc;

    while (sample > 0U) {
        Xn = *pSrc++;
        acc = (q63_t)b0 * Xn;
        acc += (q63_t)b1 * Xn1;
        acc += (q63_t)b2 * Xn2;
        acc += (q63_t)a1 * Yn1;
        acc += (q63_t)a2 * Yn2;
        acc = acc >> lShift;
        Xn2 = Xn1;
        Xn1 = Xn;
        Yn2 = Yn1;
        Yn1 = (q31_t)acc;
        *pDst++ = (q31_t)acc;
        sample--;
    }

    pState[0] = Xn1;
    pState[1] = Xn2;
    pState[2] = Yn1;
    pState[3] = Yn2;
}

void lms_f32(const lms_instance_f32 *S, const float32_t *pSrc, const float32_t *pRef, float32_t *pOut, float32_t *pErr, uint32_t blockSize) {
    float32_t *pState = S->pState;
    float32_t *pCoeffs = S->pCoeffs;
    float32_t *pStateCurnt;
    float32_t *px, *pb;
    float32_t mu = S->mu;
    float32_t acc, e, w;
    uint32_t numTaps = S->numTaps;
    uint32_t tapCnt, blkCnt;

    pStateCurnt = &(S->pState[(numTaps - 1U)]);

    blkCnt = blockSize;
    while (blkCnt > 0U) {
        *pStateCurnt++ = *pSrc++;
        px = pState;
        pb = pCoeffs;
        acc = 0.0f;
        tapCnt = numTaps;
        while (tapCnt > 0U) {
            acc += (*px++) * (*pb++);
            tapCnt--;
        }
        *pOut++ = acc;
        e = (float32_t)*pRef++ - acc;
        *pErr++ = e;
        w = e * mu;

        px = pState++;
        pb = pCoeffs;
        tapCnt = numTaps;
        while (tapCnt > 0U) {
            *pb += w * (*px++);
            pb++;
            tapCnt--;
        }
        blkCnt--;
    }

    pStateCurnt = S->pState;
    tapCnt = (numTaps - 1U);
    while (tapCnt > 0U) {
        *pStateCurnt++ = *pState++;
        tapCnt--;
    }
}

void conv_f32(const float32_t *pSrcA, uint32_t srcALen, const float32_t *pSrcB, uint32_t srcBLen, float32_t *pDst) {
    const float32_t *pIn1 = pSrcA;
    const float32_t *pIn2 = pSrcB;
    float32_t sum;
    uint32_t i, j;

    for (i = 0U; i < (srcALen + srcBLen - 1U); i++) {
        sum = 0.0f;
        for (j = 0U; j <= i; j++) {
            if (((i - j) < srcBLen) && (j < srcALen)) {
                sum += (pIn1[j] * pIn2[i - j]);
            }
        }
        pDst[i] = sum;
    }
}

void correlate_valid_q15(const q15_t *pSrcA, uint32_t srcALen, const q15_t *pSrcB, uint32_t srcBLen, q15_t *pDst) {
    uint32_t blkCnt = srcALen - srcBLen + 1U;
    const q15_t *pBase = pSrcA;
    const q15_t *px, *py;
    uint32_t k;
    q63_t sum;

    while (blkCnt > 0U) {
        sum = 0;
        px = pBase++;
        py = pSrcB;
        k = srcBLen;
        while (k > 0U) {
            sum += ((q31_t)*px++ * *py++);
            k--;
        }
        *pDst++ = (q15_t)(saturate((q31_t)(sum >> 15), 16));
        blkCnt--;
    }
}

void fir_decimate_f32(const float32_t *pState, const float32_t *pCoeffs, uint32_t numTaps, uint32_t M, float32_t *pDst, uint32_t outBlockSize) {
    uint32_t blkCnt = outBlockSize;
    const float32_t *px, *pb;
    float32_t acc0;
    uint32_t tapCnt;

    while (blkCnt > 0U) {
        acc0 = 0.0f;
        px = pState;
        pb = pCoeffs;
        tapCnt = numTaps;
        while (tapCnt > 0U) {
            acc0 += *px++ * *pb++;
            tapCnt--;
        }
        pState = pState + M;
        *pDst++ = acc0;
        blkCnt--;
    }
}

float32_t pid_f32(pid_instance_f32 *S, float32_t in) {
    float32_t out;

    out = (S->A0 * in) + (S->A1 * S->state[0]) + (S->A2 * S->state[1]) + (S->state[2]);
    S->state[1] = S->state[0];
    S->state[0] = in;
    S->state[2] = out;
    return (out);
}
