/* Copies, and conversions between formats. */
#include "dsp.h"

void copy_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = *pSrc++;

        *pDst++ = *pSrc++;

        *pDst++ = *pSrc++;

        *pDst++ = *pSrc++;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = *pSrc++;

        blkCnt--;
    }
}

void fill_q7(q7_t value, q7_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = value;

        *pDst++ = value;

        *pDst++ = value;

        *pDst++ = value;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = value;

        blkCnt--;
    }
}

void q7_to_q15(const q7_t *pSrc, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    const q7_t *pIn = pSrc;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)*pIn++ << 8;

        *pDst++ = (q15_t)*pIn++ << 8;

        *pDst++ = (q15_t)*pIn++ << 8;

        *pDst++ = (q15_t)*pIn++ << 8;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)*pIn++ << 8;

        blkCnt--;
    }
}

void q15_to_q7(const q15_t *pSrc, q7_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    const q15_t *pIn = pSrc;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q7_t)(*pIn++ >> 8);

        *pDst++ = (q7_t)(*pIn++ >> 8);

        *pDst++ = (q7_t)(*pIn++ >> 8);

        *pDst++ = (q7_t)(*pIn++ >> 8);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q7_t)(*pIn++ >> 8);

        blkCnt--;
    }
}

void q31_to_q15(const q31_t *pSrc, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    const q31_t *pIn = pSrc;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)(*pIn++ >> 16);

        *pDst++ = (q15_t)(*pIn++ >> 16);

        *pDst++ = (q15_t)(*pIn++ >> 16);

        *pDst++ = (q15_t)(*pIn++ >> 16);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)(*pIn++ >> 16);

        blkCnt--;
    }
}

void q15_to_float(const q15_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    const q15_t *pIn = pSrc;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = ((float32_t)*pIn++ / 32768.0f);

        *pDst++ = ((float32_t)*pIn++ / 32768.0f);

        *pDst++ = ((float32_t)*pIn++ / 32768.0f);

        *pDst++ = ((float32_t)*pIn++ / 32768.0f);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = ((float32_t)*pIn++ / 32768.0f);

        blkCnt--;
    }
}

void q31_to_float(const q31_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    const q31_t *pIn = pSrc;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = ((float32_t)*pIn++ / 2147483648.0f);

        *pDst++ = ((float32_t)*pIn++ / 2147483648.0f);

        *pDst++ = ((float32_t)*pIn++ / 2147483648.0f);

        *pDst++ = ((float32_t)*pIn++ / 2147483648.0f);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = ((float32_t)*pIn++ / 2147483648.0f);

        blkCnt--;
    }
}

void float_to_q15(const float32_t *pSrc, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    const float32_t *pIn = pSrc;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate((q31_t)(*pIn++ * 32768.0f), 16);

        *pDst++ = (q15_t)saturate((q31_t)(*pIn++ * 32768.0f), 16);

        *pDst++ = (q15_t)saturate((q31_t)(*pIn++ * 32768.0f), 16);

        *pDst++ = (q15_t)saturate((q31_t)(*pIn++ * 32768.0f), 16);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate((q31_t)(*pIn++ * 32768.0f), 16);

        blkCnt--;
    }
}

void float_to_q7_rounded(const float32_t *pSrc, q7_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt = blockSize;
    const float32_t *pIn = pSrc;
    float32_t in;

    while (blkCnt > 0U) {
        in = (*pIn++ * 128);
        in += in > 0.0f ? 0.5f : -0.5f;
        *pDst++ = (q7_t)(saturate((q15_t)(in), 8));
        blkCnt--;
    }
}
