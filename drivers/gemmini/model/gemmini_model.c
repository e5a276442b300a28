/* What the calls in gemmini.h compute, element by element, and what the library or the machine does not do: there the model refuses.

   Elements are scaled by floats, rounded to the nearest with ties to even, and saturated to 8 bits as they are moved in. Products
   are summed in accumulators of 32 bits, which wrap. As they are moved out, accumulators pass the activation, are scaled, rounded
   and saturated in the same way; a full result is moved out as it is. */

#include "gemmini_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that a call may touch: said by `gemmini_model_region` before it; where nothing is said, all. */
static struct { uintptr_t start, stop; bool writable; } regions[64];
static int region_count;
static void (*refused)(const char *);
struct gemmini_model_took gemmini_model_took;
#define took gemmini_model_took

void gemmini_model_refusal(void (*handler)(const char *)) {
    refused = handler;
}

void gemmini_model_regions_end(void) {
    region_count = 0;
    memset(&took, 0, sizeof took);
    gemmini_model_restart();
}

/* The array takes a row of a tile in a cycle, and memory moves every element once or more often: so many cycles and bytes at least. */
const char *gemmini_model_costs(void) {
    static char text[300];
    snprintf(text, sizeof text,
        "{\"cycles at least\": %lld, \"%s\": %lld, \"multiplications\": %lld, \"bytes%s\": {\"read\": %lld, "
        "\"written\": %lld}}",
        (long long)took.rows, took.instructions ? "instructions" : "calls", (long long)(took.calls + took.instructions),
        (long long)took.macs, took.instructions ? "" : " at least", (long long)took.read, (long long)took.written);
    return text;
}

void gemmini_model_region(const void *start, size_t bytes, bool writable) {
    if (region_count == 64)
        abort();
    regions[region_count].start = (uintptr_t)start;
    regions[region_count].stop = (uintptr_t)start + bytes;
    regions[region_count++].writable = writable;
}

void gemmini_model_refuse(const char *why) {
    if (refused)
        refused(why); /* does not return */
    fprintf(stderr, "%s\n", why);
    abort();
}

const void *gemmini_model_at(const void *base, size_t place, size_t bytes, bool write) {
    uintptr_t address = (uintptr_t)base + place * bytes;
    bool known = region_count == 0;
    for (int r = 0; r < region_count; r++)
        known |= regions[r].start <= address && address + bytes <= regions[r].stop && (regions[r].writable || !write);
    if (!known)
        gemmini_model_refuse(write ? "the model: a write outside of the arrays" : "the model: a read outside of the arrays");
    return (const void *)address;
}

/* The nearest integer, ties to even, of a float of any size. */
static float nearest_even(float x) {
    if (x >= 8388608.0f || x <= -8388608.0f)
        return x; /* it has no fraction */
    long long down = (long long)x;
    if ((float)down > x)
        down--;
    float rest = x - (float)down;
    if (rest > 0.5f || (rest == 0.5f && down % 2 != 0))
        down++;
    return (float)down;
}

static elem_t saturated(float x) {
    return x > 127.0f ? 127 : x < -128.0f ? -128 : (elem_t)x;
}

elem_t gemmini_model_moved_in(elem_t x, scale_t scale) {
    return saturated(nearest_even((float)x * scale));
}

elem_t gemmini_model_moved_out(acc_t x, int act, acc_scale_t scale) {
    if (act == RELU && x < 0)
        x = 0;
    return saturated(nearest_even((float)x * scale));
}

acc_t gemmini_model_accumulated(acc_t x, acc_t y) {
    return (acc_t)((uint32_t)x + (uint32_t)y);
}

/* The elements of a matrix as they are moved in, row after row; `turned`: its columns are rows in memory. */
static elem_t *all_moved_in(
    int operand, const elem_t *base, size_t rows, size_t columns, size_t stride, bool turned, scale_t scale) {
    static elem_t *memory[2]; /* kept, because a refusal does not return */
    elem_t *moved = realloc(memory[operand], rows * columns);
    if (!moved)
        gemmini_model_refuse("the model: no memory");
    memory[operand] = moved;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            size_t place = turned ? c * stride + r : r * stride + c;
            moved[r * columns + c] = gemmini_model_moved_in(*(const elem_t *)gemmini_model_at(base, place, 1, false), scale);
        }
    return moved;
}

/* Where a matrix begins and ends. */
struct span { uintptr_t start, stop; };

static struct span span_of(const void *base, size_t rows, size_t columns, size_t stride, size_t bytes) {
    struct span found = {(uintptr_t)base, (uintptr_t)base + ((rows - 1) * stride + columns) * bytes};
    return found;
}

static bool overlap(struct span x, struct span y) {
    return x.start < y.stop && y.start < x.stop;
}

void tiled_matmul_auto(
    size_t dim_I, size_t dim_J, size_t dim_K,
    const elem_t *A, const elem_t *B, const void *D, void *C,
    size_t stride_A, size_t stride_B, size_t stride_D, size_t stride_C,
    scale_t A_scale_factor, scale_t B_scale_factor, scale_acc_t D_scale_factor,
    int act, acc_scale_t scale, acc_scale_t bert_scale,
    bool repeating_bias, bool transpose_A, bool transpose_B,
    bool full_C, bool low_D, uint8_t weightA,
    enum tiled_matmul_type_t tiled_matmul_type) {
    (void)bert_scale;
    (void)weightA;
    if (dim_I == 0 || dim_J == 0 || dim_K == 0)
        gemmini_model_refuse("the model: the library divides by the sizes of its tiles, which are 0 where a dimension is");
    if (act != NO_ACTIVATION && act != RELU)
        gemmini_model_refuse("the model: an activation that is not modelled");
    if (tiled_matmul_type != WS || low_D || D_scale_factor != MVIN_SCALE_IDENTITY)
        gemmini_model_refuse("the model: what is modelled is the weight-stationary flow with a bias of 32 bits and no scale");
    if (transpose_A && transpose_B)
        gemmini_model_refuse("the model: the library does not transpose both matrices");
    if (full_C && (act != NO_ACTIVATION || scale != ACC_SCALE_IDENTITY))
        gemmini_model_refuse("the model: accumulators that are moved out in full are not scaled and have no activation");
    if (stride_C < dim_J)
        gemmini_model_refuse("the model: rows of the result overlap");
    struct span c = span_of(C, dim_I, dim_J, stride_C, full_C ? sizeof(acc_t) : sizeof(elem_t));
    struct span a = span_of(A, transpose_A ? dim_K : dim_I, transpose_A ? dim_I : dim_K, stride_A, sizeof(elem_t));
    struct span b = span_of(B, transpose_B ? dim_J : dim_K, transpose_B ? dim_K : dim_J, stride_B, sizeof(elem_t));
    bool in_place = full_C && D == C && stride_D == stride_C && !repeating_bias;
    bool on_bias = D && overlap(c, span_of(D, repeating_bias ? 1 : dim_I, dim_J, stride_D, sizeof(acc_t)));
    if (overlap(c, a) || overlap(c, b) || (on_bias && !in_place))
        gemmini_model_refuse("the model: the result overlaps an operand");
    took.calls++;
    took.macs += (int64_t)(dim_I * dim_J * dim_K);
    took.rows += (int64_t)(dim_I * ((dim_J + DIM - 1) / DIM) * ((dim_K + DIM - 1) / DIM));
    took.read += (int64_t)(dim_I * dim_K + dim_K * dim_J + (D ? (repeating_bias ? 1 : dim_I) * dim_J * sizeof(acc_t) : 0));
    took.written += (int64_t)(dim_I * dim_J * (full_C ? sizeof(acc_t) : sizeof(elem_t)));
    const elem_t *in_A = all_moved_in(0, A, dim_I, dim_K, stride_A, transpose_A, A_scale_factor);
    const elem_t *in_B = all_moved_in(1, B, dim_J, dim_K, stride_B, !transpose_B, B_scale_factor);
    for (size_t i = 0; i < dim_I; i++)
        for (size_t j = 0; j < dim_J; j++) {
            acc_t acc = D ? *(const acc_t *)gemmini_model_at(D, (repeating_bias ? 0 : i) * stride_D + j, sizeof(acc_t), false) : 0;
            for (size_t k = 0; k < dim_K; k++)
                acc = gemmini_model_accumulated(acc, in_A[i * dim_K + k] * in_B[j * dim_K + k]);
            if (full_C)
                *(acc_t *)gemmini_model_at(C, i * stride_C + j, sizeof(acc_t), true) = acc;
            else
                *(elem_t *)gemmini_model_at(C, i * stride_C + j, 1, true) = gemmini_model_moved_out(acc, act, scale);
        }
}

void tiled_resadd_auto(
    const size_t I, const size_t J,
    const scale_t A_scale, const scale_t B_scale, const acc_scale_t C_scale,
    const elem_t *A, const elem_t *B, elem_t *C,
    bool relu, enum tiled_matmul_type_t matadd_type) {
    if (I == 0 || J == 0)
        gemmini_model_refuse("the model: the library divides by the sizes of its tiles, which are 0 where a dimension is");
    if (matadd_type != WS)
        gemmini_model_refuse("the model: what is modelled is the weight-stationary flow");
    struct span c = span_of(C, I, J, J, 1);
    if ((A != C && overlap(c, span_of(A, I, J, J, 1))) || (B != C && overlap(c, span_of(B, I, J, J, 1))))
        gemmini_model_refuse("the model: the result overlaps an operand");
    took.calls++;
    took.rows += (int64_t)(I * ((J + DIM - 1) / DIM)) * 2; /* both are moved in row by row */
    took.read += (int64_t)(I * J) * 2;
    took.written += (int64_t)(I * J);
    for (size_t place = 0; place < I * J; place++) {
        acc_t x = gemmini_model_moved_in(*(const elem_t *)gemmini_model_at(A, place, 1, false), A_scale);
        acc_t y = gemmini_model_moved_in(*(const elem_t *)gemmini_model_at(B, place, 1, false), B_scale);
        *(elem_t *)gemmini_model_at(C, place, 1, true) = gemmini_model_moved_out(x + y, relu ? RELU : NO_ACTIVATION, C_scale);
    }
}
