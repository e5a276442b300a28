/* Sums, means and extremes of a block. */
#include "dsp.h"

void mean_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult) {
    uint32_t blkCnt;
    float32_t sum = 0.0f;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        sum += *pSrc++;

        sum += *pSrc++;

        sum += *pSrc++;

        sum += *pSrc++;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        sum += *pSrc++;

        blkCnt--;
    }
    *pResult = (sum / blockSize);
}

void mean_q7(const q7_t *pSrc, uint32_t blockSize, q7_t *pResult) {
    uint32_t blkCnt;
    q31_t sum = 0;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        sum += *pSrc++;

        sum += *pSrc++;

        sum += *pSrc++;

        sum += *pSrc++;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        sum += *pSrc++;

        blkCnt--;
    }
    *pResult = (q7_t)(sum / (int32_t)blockSize);
}

void mean_q31(const q31_t *pSrc, uint32_t blockSize, q31_t *pResult) {
    uint32_t blkCnt;
    q63_t sum = 0;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        sum += *pSrc++;

        sum += *pSrc++;

        sum += *pSrc++;

        sum += *pSrc++;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        sum += *pSrc++;

        blkCnt--;
    }
    *pResult = (q31_t)(sum / (int32_t)blockSize);
}

void power_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult) {
    uint32_t blkCnt;
    float32_t sum = 0.0f;
    float32_t in;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += in * in;

        in = *pSrc++;
        sum += in * in;

        in = *pSrc++;
        sum += in * in;

        in = *pSrc++;
        sum += in * in;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += in * in;

        blkCnt--;
    }
    *pResult = sum;
}

void power_q15(const q15_t *pSrc, uint32_t blockSize, q63_t *pResult) {
    uint32_t blkCnt;
    q63_t sum = 0;
    q15_t in;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += ((q31_t)in * in);

        in = *pSrc++;
        sum += ((q31_t)in * in);

        in = *pSrc++;
        sum += ((q31_t)in * in);

        in = *pSrc++;
        sum += ((q31_t)in * in);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += ((q31_t)in * in);

        blkCnt--;
    }
    *pResult = sum;
}

void rms_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult) {
    uint32_t blkCnt;
    float32_t sum = 0.0f;
    float32_t in;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += (in * in);

        in = *pSrc++;
        sum += (in * in);

        in = *pSrc++;
        sum += (in * in);

        in = *pSrc++;
        sum += (in * in);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += (in * in);

        blkCnt--;
    }
    *pResult = sqrtf(sum / (float32_t)blockSize);
}

void var_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult) {
    uint32_t blkCnt;
    float32_t fSum = 0.0f;
    float32_t fMean, fValue;
    const float32_t *pInput = pSrc;

    if (blockSize <= 1U) {
        *pResult = 0;
        return;
    }

    blkCnt = blockSize;
    while (blkCnt > 0U) {
        fSum += *pInput++;
        blkCnt--;
    }
    fMean = fSum / (float32_t)blockSize;

    pInput = pSrc;
    fSum = 0.0f;
    blkCnt = blockSize;
    while (blkCnt > 0U) {
        fValue = *pInput++ - fMean;
        fSum += fValue * fValue;
        blkCnt--;
    }
    *pResult = fSum / (float32_t)(blockSize - 1.0f);
}

void std_q15(const q15_t *pSrc, uint32_t blockSize, q15_t *pResult) {
    uint32_t blkCnt;
    q31_t sum = 0;
    q31_t meanOfSquares, squareOfMean;
    q63_t sumOfSquares = 0;
    q15_t in;

    if (blockSize <= 1U) {
        *pResult = 0;
        return;
    }

    blkCnt = blockSize;
    while (blkCnt > 0U) {
        in = *pSrc++;
        sumOfSquares += (in * in);
        sum += in;
        blkCnt--;
    }

    meanOfSquares = (q31_t)(sumOfSquares / (q63_t)(blockSize - 1U));
    squareOfMean = (q31_t)((q63_t)sum * sum / (q63_t)(blockSize * (blockSize - 1U)));
    *pResult = (q15_t)saturate((meanOfSquares - squareOfMean) >> 15U, 16);
}

void max_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult, uint32_t *pIndex) {
    float32_t maxVal, out;
    uint32_t blkCnt, outIndex;

    outIndex = 0U;
    out = *pSrc++;

    blkCnt = (blockSize - 1U);
    while (blkCnt > 0U) {
        maxVal = *pSrc++;
        if (out < maxVal) {
            out = maxVal;
            outIndex = blockSize - blkCnt;
        }
        blkCnt--;
    }

    *pResult = out;
    *pIndex = outIndex;
}

void max_q15(const q15_t *pSrc, uint32_t blockSize, q15_t *pResult, uint32_t *pIndex) {
    q15_t maxVal, out;
    uint32_t blkCnt, outIndex, index;

    outIndex = 0U;
    out = *pSrc++;
    index = 0U;

    blkCnt = (blockSize - 1U) >> 2U;
    while (blkCnt > 0U) {
        maxVal = *pSrc++;
        if (out < maxVal) {
            out = maxVal;
            outIndex = index + 1U;
        }

        maxVal = *pSrc++;
        if (out < maxVal) {
            out = maxVal;
            outIndex = index + 2U;
        }

        maxVal = *pSrc++;
        if (out < maxVal) {
            out = maxVal;
            outIndex = index + 3U;
        }

        maxVal = *pSrc++;
        if (out < maxVal) {
            out = maxVal;
            outIndex = index + 4U;
        }

        index += 4U;
        blkCnt--;
    }

    blkCnt = (blockSize - 1U) % 4U;
    while (blkCnt > 0U) {
        maxVal = *pSrc++;
        if (out < maxVal) {
            out = maxVal;
            outIndex = blockSize - blkCnt;
        }
        blkCnt--;
    }

    *pResult = out;
    *pIndex = outIndex;
}

void min_q31(const q31_t *pSrc, uint32_t blockSize, q31_t *pResult, uint32_t *pIndex) {
    q31_t minVal, out;
    uint32_t blkCnt, outIndex;

    outIndex = 0U;
    out = *pSrc++;

    blkCnt = (blockSize - 1U);
    while (blkCnt > 0U) {
        minVal = *pSrc++;
        if (out > minVal) {
            out = minVal;
            outIndex = blockSize - blkCnt;
        }
        blkCnt--;
    }

    *pResult = out;
    *pIndex = outIndex;
}

void absmax_no_idx_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult) {
    float32_t maxVal, out;
    uint32_t blkCnt;

    out = fabsf(*pSrc++);
    blkCnt = (blockSize - 1U);
    while (blkCnt > 0U) {
        maxVal = fabsf(*pSrc++);
        if (out < maxVal) {
            out = maxVal;
        }
        blkCnt--;
    }
    *pResult = out;
}
