/* Arithmetic of blocks: four samples at a time, then the rest. */
#include "dsp.h"

void add_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrcA++) + (*pSrcB++);

        *pDst++ = (*pSrcA++) + (*pSrcB++);

        *pDst++ = (*pSrcA++) + (*pSrcB++);

        *pDst++ = (*pSrcA++) + (*pSrcB++);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrcA++) + (*pSrcB++);

        blkCnt--;
    }
}

void add_q7(const q7_t *pSrcA, const q7_t *pSrcB, q7_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q7_t)saturate((q15_t)*pSrcA++ + *pSrcB++, 8);

        *pDst++ = (q7_t)saturate((q15_t)*pSrcA++ + *pSrcB++, 8);

        *pDst++ = (q7_t)saturate((q15_t)*pSrcA++ + *pSrcB++, 8);

        *pDst++ = (q7_t)saturate((q15_t)*pSrcA++ + *pSrcB++, 8);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q7_t)saturate((q15_t)*pSrcA++ + *pSrcB++, 8);

        blkCnt--;
    }
}

void add_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ + *pSrcB++), 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ + *pSrcB++), 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ + *pSrcB++), 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ + *pSrcB++), 16);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ + *pSrcB++), 16);

        blkCnt--;
    }
}

void add_q31(const q31_t *pSrcA, const q31_t *pSrcB, q31_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = add_saturating(*pSrcA++, *pSrcB++);

        *pDst++ = add_saturating(*pSrcA++, *pSrcB++);

        *pDst++ = add_saturating(*pSrcA++, *pSrcB++);

        *pDst++ = add_saturating(*pSrcA++, *pSrcB++);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = add_saturating(*pSrcA++, *pSrcB++);

        blkCnt--;
    }
}

void sub_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ - *pSrcB++), 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ - *pSrcB++), 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ - *pSrcB++), 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ - *pSrcB++), 16);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate(((q31_t)*pSrcA++ - *pSrcB++), 16);

        blkCnt--;
    }
}

void mult_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrcA++) * (*pSrcB++);

        *pDst++ = (*pSrcA++) * (*pSrcB++);

        *pDst++ = (*pSrcA++) * (*pSrcB++);

        *pDst++ = (*pSrcA++) * (*pSrcB++);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrcA++) * (*pSrcB++);

        blkCnt--;
    }
}

void mult_q7(const q7_t *pSrcA, const q7_t *pSrcB, q7_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q7_t)saturate((((q15_t)(*pSrcA++) * (*pSrcB++)) >> 7), 8);

        *pDst++ = (q7_t)saturate((((q15_t)(*pSrcA++) * (*pSrcB++)) >> 7), 8);

        *pDst++ = (q7_t)saturate((((q15_t)(*pSrcA++) * (*pSrcB++)) >> 7), 8);

        *pDst++ = (q7_t)saturate((((q15_t)(*pSrcA++) * (*pSrcB++)) >> 7), 8);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q7_t)saturate((((q15_t)(*pSrcA++) * (*pSrcB++)) >> 7), 8);

        blkCnt--;
    }
}

void mult_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate((((q31_t)(*pSrcA++) * (*pSrcB++)) >> 15), 16);

        *pDst++ = (q15_t)saturate((((q31_t)(*pSrcA++) * (*pSrcB++)) >> 15), 16);

        *pDst++ = (q15_t)saturate((((q31_t)(*pSrcA++) * (*pSrcB++)) >> 15), 16);

        *pDst++ = (q15_t)saturate((((q31_t)(*pSrcA++) * (*pSrcB++)) >> 15), 16);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate((((q31_t)(*pSrcA++) * (*pSrcB++)) >> 15), 16);

        blkCnt--;
    }
}

void mult_q31(const q31_t *pSrcA, const q31_t *pSrcB, q31_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    q31_t out;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        out = ((q63_t)*pSrcA++ * *pSrcB++) >> 32;
        out = saturate(out, 31);
        *pDst++ = out << 1U;

        out = ((q63_t)*pSrcA++ * *pSrcB++) >> 32;
        out = saturate(out, 31);
        *pDst++ = out << 1U;

        out = ((q63_t)*pSrcA++ * *pSrcB++) >> 32;
        out = saturate(out, 31);
        *pDst++ = out << 1U;

        out = ((q63_t)*pSrcA++ * *pSrcB++) >> 32;
        out = saturate(out, 31);
        *pDst++ = out << 1U;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        out = ((q63_t)*pSrcA++ * *pSrcB++) >> 32;
        out = saturate(out, 31);
        *pDst++ = out << 1U;

        blkCnt--;
    }
}

void scale_f32(const float32_t *pSrc, float32_t scale, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrc++) * scale;

        *pDst++ = (*pSrc++) * scale;

        *pDst++ = (*pSrc++) * scale;

        *pDst++ = (*pSrc++) * scale;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrc++) * scale;

        blkCnt--;
    }
}

void scale_q15(const q15_t *pSrc, q15_t scaleFract, int8_t shift, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    int8_t kShift = 15 - shift;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate(((q31_t)*pSrc++ * scaleFract) >> kShift, 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrc++ * scaleFract) >> kShift, 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrc++ * scaleFract) >> kShift, 16);

        *pDst++ = (q15_t)saturate(((q31_t)*pSrc++ * scaleFract) >> kShift, 16);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (q15_t)saturate(((q31_t)*pSrc++ * scaleFract) >> kShift, 16);

        blkCnt--;
    }
}

void offset_f32(const float32_t *pSrc, float32_t offset, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrc++) + offset;

        *pDst++ = (*pSrc++) + offset;

        *pDst++ = (*pSrc++) + offset;

        *pDst++ = (*pSrc++) + offset;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrc++) + offset;

        blkCnt--;
    }
}

void offset_q31(const q31_t *pSrc, q31_t offset, q31_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = add_saturating(*pSrc++, offset);

        *pDst++ = add_saturating(*pSrc++, offset);

        *pDst++ = add_saturating(*pSrc++, offset);

        *pDst++ = add_saturating(*pSrc++, offset);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = add_saturating(*pSrc++, offset);

        blkCnt--;
    }
}

void abs_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = fabsf(*pSrc++);

        *pDst++ = fabsf(*pSrc++);

        *pDst++ = fabsf(*pSrc++);

        *pDst++ = fabsf(*pSrc++);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = fabsf(*pSrc++);

        blkCnt--;
    }
}

void abs_q7(const q7_t *pSrc, q7_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    q7_t in;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == (q7_t)0x80) ? (q7_t)0x7f : -in);

        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == (q7_t)0x80) ? (q7_t)0x7f : -in);

        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == (q7_t)0x80) ? (q7_t)0x7f : -in);

        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == (q7_t)0x80) ? (q7_t)0x7f : -in);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == (q7_t)0x80) ? (q7_t)0x7f : -in);

        blkCnt--;
    }
}

void abs_q31(const q31_t *pSrc, q31_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    q31_t in;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == INT32_MIN) ? INT32_MAX : -in);

        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == INT32_MIN) ? INT32_MAX : -in);

        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == INT32_MIN) ? INT32_MAX : -in);

        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == INT32_MIN) ? INT32_MAX : -in);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == INT32_MIN) ? INT32_MAX : -in);

        blkCnt--;
    }
}

void negate_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = -*pSrc++;

        *pDst++ = -*pSrc++;

        *pDst++ = -*pSrc++;

        *pDst++ = -*pSrc++;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        *pDst++ = -*pSrc++;

        blkCnt--;
    }
}

void negate_q15(const q15_t *pSrc, q15_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    q15_t in;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        *pDst++ = (in == (q15_t)0x8000) ? (q15_t)0x7fff : -in;

        in = *pSrc++;
        *pDst++ = (in == (q15_t)0x8000) ? (q15_t)0x7fff : -in;

        in = *pSrc++;
        *pDst++ = (in == (q15_t)0x8000) ? (q15_t)0x7fff : -in;

        in = *pSrc++;
        *pDst++ = (in == (q15_t)0x8000) ? (q15_t)0x7fff : -in;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        in = *pSrc++;
        *pDst++ = (in == (q15_t)0x8000) ? (q15_t)0x7fff : -in;

        blkCnt--;
    }
}

void dot_prod_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t blockSize, float32_t *result) {
    uint32_t blkCnt;
    float32_t sum = 0.0f;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        sum += (*pSrcA++) * (*pSrcB++);

        sum += (*pSrcA++) * (*pSrcB++);

        sum += (*pSrcA++) * (*pSrcB++);

        sum += (*pSrcA++) * (*pSrcB++);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        sum += (*pSrcA++) * (*pSrcB++);

        blkCnt--;
    }
    *result = sum;
}

void dot_prod_q7(const q7_t *pSrcA, const q7_t *pSrcB, uint32_t blockSize, q31_t *result) {
    uint32_t blkCnt;
    q31_t sum = 0;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        sum += (q31_t)((q15_t)*pSrcA++ * *pSrcB++);

        sum += (q31_t)((q15_t)*pSrcA++ * *pSrcB++);

        sum += (q31_t)((q15_t)*pSrcA++ * *pSrcB++);

        sum += (q31_t)((q15_t)*pSrcA++ * *pSrcB++);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        sum += (q31_t)((q15_t)*pSrcA++ * *pSrcB++);

        blkCnt--;
    }
    *result = sum;
}

void dot_prod_q15(const q15_t *pSrcA, const q15_t *pSrcB, uint32_t blockSize, q63_t *result) {
    uint32_t blkCnt;
    q63_t sum = 0;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        sum += (q63_t)((q31_t)*pSrcA++ * *pSrcB++);

        sum += (q63_t)((q31_t)*pSrcA++ * *pSrcB++);

        sum += (q63_t)((q31_t)*pSrcA++ * *pSrcB++);

        sum += (q63_t)((q31_t)*pSrcA++ * *pSrcB++);

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        sum += (q63_t)((q31_t)*pSrcA++ * *pSrcB++);

        blkCnt--;
    }
    *result = sum;
}

void dot_prod_q31(const q31_t *pSrcA, const q31_t *pSrcB, uint32_t blockSize, q63_t *result) {
    uint32_t blkCnt;
    q63_t sum = 0;

    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        sum += ((q63_t)*pSrcA++ * *pSrcB++) >> 14U;

        sum += ((q63_t)*pSrcA++ * *pSrcB++) >> 14U;

        sum += ((q63_t)*pSrcA++ * *pSrcB++) >> 14U;

        sum += ((q63_t)*pSrcA++ * *pSrcB++) >> 14U;

        blkCnt--;
    }

    blkCnt = blockSize & 3U;
    while (blkCnt > 0U) {
        sum += ((q63_t)*pSrcA++ * *pSrcB++) >> 14U;

        blkCnt--;
    }
    *result = sum;
}

void clip_f32(const float32_t *pSrc, float32_t *pDst, float32_t low, float32_t high, uint32_t numSamples) {
    uint32_t blkCnt;

    blkCnt = numSamples >> 2U;
    while (blkCnt > 0U) {
        *pDst = (*pSrc < low) ? low : ((*pSrc > high) ? high : *pSrc);
        pSrc++;
        pDst++;

        *pDst = (*pSrc < low) ? low : ((*pSrc > high) ? high : *pSrc);
        pSrc++;
        pDst++;

        *pDst = (*pSrc < low) ? low : ((*pSrc > high) ? high : *pSrc);
        pSrc++;
        pDst++;

        *pDst = (*pSrc < low) ? low : ((*pSrc > high) ? high : *pSrc);
        pSrc++;
        pDst++;

        blkCnt--;
    }

    blkCnt = numSamples & 3U;
    while (blkCnt > 0U) {
        *pDst = (*pSrc < low) ? low : ((*pSrc > high) ? high : *pSrc);
        pSrc++;
        pDst++;

        blkCnt--;
    }
}

void clip_q15(const q15_t *pSrc, q15_t *pDst, q15_t low, q15_t high, uint32_t numSamples) {
    uint32_t blkCnt = numSamples;

    while (blkCnt > 0U) {
        if (*pSrc > high)
            *pDst++ = high;
        else if (*pSrc < low)
            *pDst++ = low;
        else
            *pDst++ = *pSrc;
        pSrc++;
        blkCnt--;
    }
}

void shift_q7(const q7_t *pSrc, int8_t shiftBits, q7_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    uint8_t sign = (shiftBits & 0x80);

    if (sign == 0U) {
        /* to the left, with saturation */
        blkCnt = blockSize >> 2U;
        while (blkCnt > 0U) {
            *pDst++ = (q7_t)saturate(((q15_t)*pSrc++ << shiftBits), 8);
            *pDst++ = (q7_t)saturate(((q15_t)*pSrc++ << shiftBits), 8);
            *pDst++ = (q7_t)saturate(((q15_t)*pSrc++ << shiftBits), 8);
            *pDst++ = (q7_t)saturate(((q15_t)*pSrc++ << shiftBits), 8);
            blkCnt--;
        }

        blkCnt = blockSize & 3U;
        while (blkCnt > 0U) {
            *pDst++ = (q7_t)saturate(((q15_t)*pSrc++ << shiftBits), 8);
            blkCnt--;
        }
    } else {
        blkCnt = blockSize >> 2U;
        while (blkCnt > 0U) {
            *pDst++ = (*pSrc++ >> -shiftBits);
            *pDst++ = (*pSrc++ >> -shiftBits);
            *pDst++ = (*pSrc++ >> -shiftBits);
            *pDst++ = (*pSrc++ >> -shiftBits);
            blkCnt--;
        }

        blkCnt = blockSize & 3U;
        while (blkCnt > 0U) {
            *pDst++ = (*pSrc++ >> -shiftBits);
            blkCnt--;
        }
    }
}

void shift_q31(const q31_t *pSrc, int8_t shiftBits, q31_t *pDst, uint32_t blockSize) {
    uint32_t blkCnt;
    uint8_t sign = (shiftBits & 0x80);

    if (sign == 0U) {
        /* to the left, with saturation */
        blkCnt = blockSize >> 2U;
        while (blkCnt > 0U) {
            *pDst++ = narrow_q63((q63_t)*pSrc++ << shiftBits);
            *pDst++ = narrow_q63((q63_t)*pSrc++ << shiftBits);
            *pDst++ = narrow_q63((q63_t)*pSrc++ << shiftBits);
            *pDst++ = narrow_q63((q63_t)*pSrc++ << shiftBits);
            blkCnt--;
        }

        blkCnt = blockSize & 3U;
        while (blkCnt > 0U) {
            *pDst++ = narrow_q63((q63_t)*pSrc++ << shiftBits);
            blkCnt--;
        }
    } else {
        blkCnt = blockSize >> 2U;
        while (blkCnt > 0U) {
            *pDst++ = (*pSrc++ >> -shiftBits);
            *pDst++ = (*pSrc++ >> -shiftBits);
            *pDst++ = (*pSrc++ >> -shiftBits);
            *pDst++ = (*pSrc++ >> -shiftBits);
            blkCnt--;
        }

        blkCnt = blockSize & 3U;
        while (blkCnt > 0U) {
            *pDst++ = (*pSrc++ >> -shiftBits);
            blkCnt--;
        }
    }
}
