/* What the instructions in gemmini.h do, in the order in which they are issued, and what they must not do: there the model refuses.

   The scratchpad has rows of 16 elements of 8 bits, the accumulator rows of 16 elements of 32 bits; nothing is read before it is
   written. Weights are preloaded into the array; rows that pass it leave their products in the accumulator. What is moved out
   arrives in memory at the next fence. */

#include "gemmini_model.h"

#include <stdlib.h>
#include <string.h>

enum { SCRATCHPAD = 16384, ACCUMULATOR = 1024, LOADS = 3 };
#define took gemmini_model_took

static struct { elem_t value[DIM]; bool known[DIM]; } scratchpad[SCRATCHPAD];
static struct { acc_t value[DIM]; bool known[DIM]; } accumulator[ACCUMULATOR];
static struct { bool set, shrunk; size_t stride; scale_t scale; } loads[LOADS];
static struct { bool set; size_t stride; int act; acc_scale_t scale; } stores;
static struct { bool set; uint32_t result; size_t cols, rows, depth; elem_t weight[DIM][DIM]; } preloaded;
static bool configured;
static struct pending { void *to; size_t count; bool words; acc_t sums[DIM]; elem_t elements[DIM]; } *pending;
static size_t pending_count, pending_room;

struct place { bool sums, added, full; size_t row; };

void gemmini_model_restart(void) {
    memset(scratchpad, 0, sizeof scratchpad);
    memset(accumulator, 0, sizeof accumulator);
    memset(loads, 0, sizeof loads);
    memset(&stores, 0, sizeof stores);
    memset(&preloaded, 0, sizeof preloaded);
    configured = false;
    pending_count = 0;
}

static void issued(size_t cols, size_t rows) {
    took.instructions++;
    if (cols < 1 || cols > DIM || rows < 1 || rows > DIM)
        gemmini_model_refuse("the model: a tile has 1 to 16 rows and 1 to 16 columns");
}

static struct place place_of(uint32_t address, size_t rows) {
    struct place p = {address >> 31 & 1, address >> 30 & 1, address >> 29 & 1, address & ((1u << 29) - 1)};
    if (p.row + rows > (p.sums ? ACCUMULATOR : SCRATCHPAD))
        gemmini_model_refuse("the model: an address behind the end of a memory");
    return p;
}

void gemmini_config_ex(int dataflow, int sys_act, int sys_shift) {
    took.instructions++;
    if (dataflow != WEIGHT_STATIONARY || sys_act != NO_ACTIVATION || sys_shift != 0)
        gemmini_model_refuse("the model: what is modelled is the weight-stationary flow");
    configured = true;
}

void gemmini_extended3_config_ld(size_t stride_bytes, scale_t scale, bool shrunk, int id) {
    took.instructions++;
    if (id < 0 || id >= LOADS)
        gemmini_model_refuse("the model: loads are configured by the numbers 0 to 2");
    loads[id].set = true;
    loads[id].stride = stride_bytes;
    loads[id].scale = scale;
    loads[id].shrunk = shrunk;
}

void gemmini_extended_config_st(size_t stride_bytes, int acc_act, acc_scale_t acc_scale) {
    took.instructions++;
    if (acc_act != NO_ACTIVATION && acc_act != RELU)
        gemmini_model_refuse("the model: an activation that is not modelled");
    stores.set = true;
    stores.stride = stride_bytes;
    stores.act = acc_act;
    stores.scale = acc_scale;
}

static void put_sum(struct place p, size_t r, size_t c, acc_t value) {
    if (p.added && !accumulator[p.row + r].known[c])
        gemmini_model_refuse("the model: something is added to an accumulator that holds nothing");
    acc_t before = p.added ? accumulator[p.row + r].value[c] : 0;
    accumulator[p.row + r].value[c] = gemmini_model_accumulated(before, value);
    accumulator[p.row + r].known[c] = true;
}

static void move_in(int id, const void *from, uint32_t to, size_t cols, size_t rows) {
    issued(cols, rows);
    if (!loads[id].set)
        gemmini_model_refuse("the model: a load that is not configured");
    struct place p = place_of(to, rows);
    bool words = p.sums && !loads[id].shrunk;
    if (words && loads[id].scale != MVIN_SCALE_IDENTITY)
        gemmini_model_refuse("the model: 32-bit elements that are scaled as they are moved in");
    if (!p.sums && loads[id].shrunk)
        gemmini_model_refuse("the model: shrunk elements are for the accumulator");
    took.rows += (int64_t)rows;
    took.read += (int64_t)(rows * cols * (words ? sizeof(acc_t) : sizeof(elem_t)));
    for (size_t r = 0; r < rows; r++) {
        const char *row = (const char *)from + r * loads[id].stride;
        for (size_t c = 0; c < DIM && !p.sums; c++)
            scratchpad[p.row + r].known[c] = false;
        for (size_t c = 0; c < cols; c++) {
            if (words) {
                put_sum(p, r, c, *(const acc_t *)gemmini_model_at(row, c, sizeof(acc_t), false));
                continue;
            }
            elem_t x = gemmini_model_moved_in(*(const elem_t *)gemmini_model_at(row, c, sizeof(elem_t), false), loads[id].scale);
            if (p.sums) {
                put_sum(p, r, c, x);
            } else {
                scratchpad[p.row + r].value[c] = x;
                scratchpad[p.row + r].known[c] = true;
            }
        }
    }
}

void gemmini_extended_mvin(const void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows) {
    move_in(0, dram_addr, spad_addr, cols, rows);
}

void gemmini_extended_mvin2(const void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows) {
    move_in(1, dram_addr, spad_addr, cols, rows);
}

void gemmini_extended_mvin3(const void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows) {
    move_in(2, dram_addr, spad_addr, cols, rows);
}

static elem_t element(uint32_t row, size_t c) {
    if (!scratchpad[row].known[c])
        gemmini_model_refuse("the model: the scratchpad is read before it is written");
    return scratchpad[row].value[c];
}

void gemmini_extended_preload(uint32_t BD, uint32_t C, size_t BD_cols, size_t BD_rows, size_t C_cols, size_t C_rows) {
    issued(BD_cols, BD_rows);
    struct place weights = place_of(BD, BD_rows);
    if (!configured || weights.sums || !place_of(C, C_rows).sums)
        gemmini_model_refuse("the model: weights come from the scratchpad, results go to the accumulator, once it is configured");
    if (C_cols != BD_cols || C_rows < 1 || C_rows > DIM)
        gemmini_model_refuse("the model: a result has other columns than its weights");
    preloaded.set = true;
    preloaded.result = C;
    preloaded.cols = BD_cols;
    preloaded.depth = BD_rows;
    preloaded.rows = C_rows;
    took.rows += (int64_t)BD_rows;
    for (size_t k = 0; k < BD_rows; k++)
        for (size_t c = 0; c < BD_cols; c++)
            preloaded.weight[k][c] = element((uint32_t)(weights.row + k), c);
}

void gemmini_extended_compute_preloaded(uint32_t A, uint32_t BD, size_t A_cols, size_t A_rows, size_t BD_cols, size_t BD_rows) {
    issued(A_cols, A_rows);
    (void)BD_cols;
    (void)BD_rows;
    struct place from = place_of(A, A_rows);
    if (!preloaded.set || from.sums || BD != GARBAGE_ADDR)
        gemmini_model_refuse("the model: rows of the scratchpad pass preloaded weights, and nothing else is added");
    if (A_cols != preloaded.depth || A_rows != preloaded.rows)
        gemmini_model_refuse("the model: rows that pass have as many elements as there are rows of weights");
    struct place to = place_of(preloaded.result, A_rows);
    preloaded.set = false;
    took.rows += (int64_t)A_rows;
    took.macs += (int64_t)(A_rows * preloaded.cols * preloaded.depth);
    for (size_t r = 0; r < A_rows; r++) {
        acc_t sums[DIM] = {0}; /* of at most 16 products of 8 bits */
        for (size_t k = 0; k < preloaded.depth; k++) {
            acc_t passing = element((uint32_t)(from.row + r), k);
            for (size_t c = 0; c < preloaded.cols; c++)
                sums[c] += passing * preloaded.weight[k][c];
        }
        for (size_t c = 0; c < preloaded.cols; c++)
            put_sum(to, r, c, sums[c]);
    }
}

void gemmini_extended_mvout(void *dram_addr, uint32_t spad_addr, size_t cols, size_t rows) {
    issued(cols, rows);
    struct place from = place_of(spad_addr, rows);
    if (!stores.set || !from.sums)
        gemmini_model_refuse("the model: accumulators are moved out, once stores are configured");
    size_t bytes = from.full ? sizeof(acc_t) : sizeof(elem_t);
    took.rows += (int64_t)rows;
    took.written += (int64_t)(rows * cols * bytes);
    for (size_t r = 0; r < rows; r++) {
        if (pending_count == pending_room) {
            pending_room = 2 * pending_room + 64;
            pending = realloc(pending, pending_room * sizeof *pending);
            if (!pending)
                gemmini_model_refuse("the model: no memory");
        }
        struct pending *one = &pending[pending_count++];
        one->to = (char *)dram_addr + r * stores.stride;
        one->count = cols;
        one->words = from.full;
        for (size_t c = 0; c < cols; c++) {
            gemmini_model_at(one->to, c, bytes, true);
            if (!accumulator[from.row + r].known[c])
                gemmini_model_refuse("the model: an accumulator is read before it is written");
            acc_t sum = accumulator[from.row + r].value[c];
            one->sums[c] = sum;
            one->elements[c] = gemmini_model_moved_out(sum, stores.act, stores.scale);
        }
    }
}

void gemmini_fence(void) {
    took.instructions++;
    for (size_t i = 0; i < pending_count; i++) {
        if (pending[i].words)
            memcpy(pending[i].to, pending[i].sums, pending[i].count * sizeof(acc_t));
        else
            memcpy(pending[i].to, pending[i].elements, pending[i].count * sizeof(elem_t));
    }
    pending_count = 0;
}
