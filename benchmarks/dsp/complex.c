/* Blocks of complex numbers, real and imaginary parts in turn. */
#include "dsp.h"

void cmplx_mag_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples) {
    uint32_t blkCnt;
    float32_t real, imag;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        real = *pSrc++;
        imag = *pSrc++;
        *pDst++ = sqrtf((real * real) + (imag * imag));

        real = *pSrc++;
        imag = *pSrc++;
        *pDst++ = sqrtf((real * real) + (imag * imag));

        real = *pSrc++;
        imag = *pSrc++;
        *pDst++ = sqrtf((real * real) + (imag * imag));

        real = *pSrc++;
        imag = *pSrc++;
        *pDst++ = sqrtf((real * real) + (imag * imag));

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        real = *pSrc++;
        imag = *pSrc++;
        *pDst++ = sqrtf((real * real) + (imag * imag));

        blkCnt--;
    }
}

void cmplx_mag_squared_q15(const q15_t *pSrc, q15_t *pDst, uint32_t numSamples) {
    uint32_t blkCnt;
    q15_t real, imag;
    q31_t acc0, acc1;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        real = *pSrc++;
        imag = *pSrc++;
        acc0 = ((q31_t)real * real);
        acc1 = ((q31_t)imag * imag);
        *pDst++ = (q15_t)(((q63_t)acc0 + acc1) >> 17);

        real = *pSrc++;
        imag = *pSrc++;
        acc0 = ((q31_t)real * real);
        acc1 = ((q31_t)imag * imag);
        *pDst++ = (q15_t)(((q63_t)acc0 + acc1) >> 17);

        real = *pSrc++;
        imag = *pSrc++;
        acc0 = ((q31_t)real * real);
        acc1 = ((q31_t)imag * imag);
        *pDst++ = (q15_t)(((q63_t)acc0 + acc1) >> 17);

        real = *pSrc++;
        imag = *pSrc++;
        acc0 = ((q31_t)real * real);
        acc1 = ((q31_t)imag * imag);
        *pDst++ = (q15_t)(((q63_t)acc0 + acc1) >> 17);

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        real = *pSrc++;
        imag = *pSrc++;
        acc0 = ((q31_t)real * real);
        acc1 = ((q31_t)imag * imag);
        *pDst++ = (q15_t)(((q63_t)acc0 + acc1) >> 17);

        blkCnt--;
    }
}

void cmplx_conj_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples) {
    uint32_t blkCnt;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = *pSrc++;
        *pDst++ = -*pSrc++;

        *pDst++ = *pSrc++;
        *pDst++ = -*pSrc++;

        *pDst++ = *pSrc++;
        *pDst++ = -*pSrc++;

        *pDst++ = *pSrc++;
        *pDst++ = -*pSrc++;

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        *pDst++ = *pSrc++;
        *pDst++ = -*pSrc++;

        blkCnt--;
    }
}

void cmplx_mult_cmplx_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t numSamples) {
    uint32_t blkCnt;
    float32_t a, b, c, d;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (a * c) - (b * d);
        *pDst++ = (a * d) + (b * c);

        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (a * c) - (b * d);
        *pDst++ = (a * d) + (b * c);

        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (a * c) - (b * d);
        *pDst++ = (a * d) + (b * c);

        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (a * c) - (b * d);
        *pDst++ = (a * d) + (b * c);

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (a * c) - (b * d);
        *pDst++ = (a * d) + (b * c);

        blkCnt--;
    }
}

void cmplx_mult_cmplx_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t numSamples) {
    uint32_t blkCnt;
    q15_t a, b, c, d;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * c) >> 17) - (((q31_t)b * d) >> 17);
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * d) >> 17) + (((q31_t)b * c) >> 17);

        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * c) >> 17) - (((q31_t)b * d) >> 17);
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * d) >> 17) + (((q31_t)b * c) >> 17);

        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * c) >> 17) - (((q31_t)b * d) >> 17);
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * d) >> 17) + (((q31_t)b * c) >> 17);

        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * c) >> 17) - (((q31_t)b * d) >> 17);
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * d) >> 17) + (((q31_t)b * c) >> 17);

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        a = *pSrcA++;
        b = *pSrcA++;
        c = *pSrcB++;
        d = *pSrcB++;
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * c) >> 17) - (((q31_t)b * d) >> 17);
        *pDst++ = (q15_t)(q31_t)(((q31_t)a * d) >> 17) + (((q31_t)b * c) >> 17);

        blkCnt--;
    }
}

void cmplx_dot_prod_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t numSamples, float32_t *realResult, float32_t *imagResult) {
    uint32_t blkCnt;
    float32_t real_sum = 0.0f, imag_sum = 0.0f;
    float32_t a0, b0, c0, d0;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        a0 = *pSrcA++;
        b0 = *pSrcA++;
        c0 = *pSrcB++;
        d0 = *pSrcB++;
        real_sum += a0 * c0;
        imag_sum += a0 * d0;
        real_sum -= b0 * d0;
        imag_sum += b0 * c0;

        a0 = *pSrcA++;
        b0 = *pSrcA++;
        c0 = *pSrcB++;
        d0 = *pSrcB++;
        real_sum += a0 * c0;
        imag_sum += a0 * d0;
        real_sum -= b0 * d0;
        imag_sum += b0 * c0;

        a0 = *pSrcA++;
        b0 = *pSrcA++;
        c0 = *pSrcB++;
        d0 = *pSrcB++;
        real_sum += a0 * c0;
        imag_sum += a0 * d0;
        real_sum -= b0 * d0;
        imag_sum += b0 * c0;

        a0 = *pSrcA++;
        b0 = *pSrcA++;
        c0 = *pSrcB++;
        d0 = *pSrcB++;
        real_sum += a0 * c0;
        imag_sum += a0 * d0;
        real_sum -= b0 * d0;
        imag_sum += b0 * c0;

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        a0 = *pSrcA++;
        b0 = *pSrcA++;
        c0 = *pSrcB++;
        d0 = *pSrcB++;
        real_sum += a0 * c0;
        imag_sum += a0 * d0;
        real_sum -= b0 * d0;
        imag_sum += b0 * c0;

        blkCnt--;
    }
    *realResult = real_sum;
    *imagResult = imag_sum;
}

void cmplx_mult_real_q15(const q15_t *pSrcCmplx, const q15_t *pSrcReal, q15_t *pCmplxDst, uint32_t numSamples) {
    uint32_t blkCnt;
    q15_t in;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        in = *pSrcReal++;
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);

        in = *pSrcReal++;
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);

        in = *pSrcReal++;
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);

        in = *pSrcReal++;
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        in = *pSrcReal++;
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);
        *pCmplxDst++ = (q15_t)saturate((((q31_t)*pSrcCmplx++ * in) >> 15), 16);

        blkCnt--;
    }
}
