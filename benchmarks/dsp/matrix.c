/* Matrices by their instances. */
#include "dsp.h"

dsp_status mat_add_f32(const matrix_f32 *pSrcA, const matrix_f32 *pSrcB, matrix_f32 *pDst) {
    uint32_t blkCnt;
    float32_t *pInA = pSrcA->pData;
    float32_t *pInB = pSrcB->pData;
    float32_t *pOut = pDst->pData;
    uint32_t numSamples;
    if ((pSrcA->numRows != pSrcB->numRows) || (pSrcA->numCols != pSrcB->numCols) || (pSrcA->numRows != pDst->numRows) ||
        (pSrcA->numCols != pDst->numCols)) {
        return DSP_SIZE_MISMATCH;
    }
    numSamples = (uint32_t)pSrcA->numRows * pSrcA->numCols;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        *pOut++ = *pInA++ + *pInB++;

        *pOut++ = *pInA++ + *pInB++;

        *pOut++ = *pInA++ + *pInB++;

        *pOut++ = *pInA++ + *pInB++;

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        *pOut++ = *pInA++ + *pInB++;

        blkCnt--;
    }
    return DSP_OK;
}

dsp_status mat_scale_q15(const matrix_q15 *pSrc, q15_t scaleFract, int32_t shift, matrix_q15 *pDst) {
    uint32_t blkCnt;
    q15_t *pIn = pSrc->pData;
    q15_t *pOut = pDst->pData;
    uint32_t numSamples;
    int32_t kShift = 15 - shift;
    numSamples = (uint32_t)pSrc->numRows * pSrc->numCols;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        *pOut++ = (q15_t)saturate(((q31_t)(*pIn++) * scaleFract) >> kShift, 16);

        *pOut++ = (q15_t)saturate(((q31_t)(*pIn++) * scaleFract) >> kShift, 16);

        *pOut++ = (q15_t)saturate(((q31_t)(*pIn++) * scaleFract) >> kShift, 16);

        *pOut++ = (q15_t)saturate(((q31_t)(*pIn++) * scaleFract) >> kShift, 16);

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        *pOut++ = (q15_t)saturate(((q31_t)(*pIn++) * scaleFract) >> kShift, 16);

        blkCnt--;
    }
    return DSP_OK;
}

dsp_status mat_trans_f32(const matrix_f32 *pSrc, matrix_f32 *pDst) {
    float32_t *pIn = pSrc->pData;
    float32_t *pOut = pDst->pData;
    float32_t *px;
    uint16_t nRows = pSrc->numRows;
    uint16_t nCols = pSrc->numCols;
    uint32_t col, row = nRows, i = 0U;

    if ((pSrc->numRows != pDst->numCols) || (pSrc->numCols != pDst->numRows)) {
        return DSP_SIZE_MISMATCH;
    }

    do {
        px = pOut + i;
        col = nCols;
        while (col > 0U) {
            *px = *pIn++;
            px += nRows;
            col--;
        }
        i++;
        row--;
    } while (row > 0U);
    return DSP_OK;
}

dsp_status mat_mult_f32(const matrix_f32 *pSrcA, const matrix_f32 *pSrcB, matrix_f32 *pDst) {
    float32_t *pIn1 = pSrcA->pData;
    float32_t *pIn2 = pSrcB->pData;
    float32_t *pInA = pSrcA->pData;
    float32_t *pOut = pDst->pData;
    float32_t *px;
    float32_t sum;
    uint16_t numRowsA = pSrcA->numRows;
    uint16_t numColsB = pSrcB->numCols;
    uint16_t numColsA = pSrcA->numCols;
    uint32_t col, i = 0U, row = numRowsA, colCnt;

    do {
        px = pOut + i;
        col = numColsB;
        pIn2 = pSrcB->pData;

        do {
            sum = 0.0f;
            pIn1 = pInA;
            colCnt = numColsA;
            while (colCnt > 0U) {
                sum += *pIn1++ * *pIn2;
                pIn2 += numColsB;
                colCnt--;
            }
            *px++ = sum;
            col--;
            pIn2 = pSrcB->pData + (numColsB - col);
        } while (col > 0U);

        i = i + numColsB;
        pInA = pInA + numColsA;
        row--;
    } while (row > 0U);
    return DSP_OK;
}

void mat_vec_mult_q31(const q31_t *pMat, uint16_t numRows, uint16_t numCols, const q31_t *pVec, q31_t *pDst) {
    for (uint16_t row = 0; row < numRows; row++) {
        const q31_t *pRow = pMat + (uint32_t)row * numCols;
        q63_t sum = 0;
        for (uint16_t col = 0; col < numCols; col++) {
            sum += (q63_t)pRow[col] * pVec[col];
        }
        pDst[row] = (q31_t)(sum >> 31);
    }
}
