/* A model of the calls of Gemmini's library that metalift writes: the configuration with 16 x 16 elements of 8 bits, accumulators
   of 32 bits, and scales that are floats. The names, types and parameters are the library's. */

#ifndef GEMMINI_H
#define GEMMINI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIM 16

typedef int8_t elem_t;
typedef int32_t acc_t;
typedef float scale_t;
typedef float acc_scale_t;
typedef float scale_acc_t;

#define MVIN_SCALE_IDENTITY 1.0f
#define ACC_SCALE_IDENTITY 1.0f

#define NO_ACTIVATION 0
#define RELU 1
#define LAYERNORM 2
#define IGELU 3
#define SOFTMAX 4

enum tiled_matmul_type_t { OS, WS, CPU };

void tiled_matmul_auto(
    size_t dim_I, size_t dim_J, size_t dim_K,
    const elem_t *A, const elem_t *B, const void *D, void *C,
    size_t stride_A, size_t stride_B, size_t stride_D, size_t stride_C,
    scale_t A_scale_factor, scale_t B_scale_factor, scale_acc_t D_scale_factor,
    int act, acc_scale_t scale, acc_scale_t bert_scale,
    bool repeating_bias, bool transpose_A, bool transpose_B,
    bool full_C, bool low_D, uint8_t weightA,
    enum tiled_matmul_type_t tiled_matmul_type);

void tiled_resadd_auto(
    const size_t I, const size_t J,
    const scale_t A_scale, const scale_t B_scale, const acc_scale_t C_scale,
    const elem_t *A, const elem_t *B, elem_t *C,
    bool relu, enum tiled_matmul_type_t matadd_type);

/* Instructions. Rows of the scratchpad and of the accumulator have an address each; the highest bit says that it is one of the
   accumulator, the next one that what is written there is added, the third that it is read in full, as 32 bits. */

#define WEIGHT_STATIONARY 1
#define GARBAGE_ADDR ((uint32_t)(-1))

void gemmini_config_ex(int dataflow, int sys_act, int sys_shift);
void gemmini_extended3_config_ld(size_t stride_bytes, scale_t scale, bool shrunk, int id);
void gemmini_extended_config_st(size_t stride_bytes, int acc_act, acc_scale_t acc_scale);
void gemmini_extended_mvin(const void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows);
void gemmini_extended_mvin2(const void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows);
void gemmini_extended_mvin3(const void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows);
void gemmini_extended_preload(uint32_t BD, uint32_t C, size_t BD_cols, size_t BD_rows, size_t C_cols, size_t C_rows);
void gemmini_extended_compute_preloaded(uint32_t A, uint32_t BD, size_t A_cols, size_t A_rows, size_t BD_cols, size_t BD_rows);
void gemmini_extended_mvout(void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows);
void gemmini_fence(void);

#endif
