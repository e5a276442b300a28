/* The host's side of a kernel, as far as the text needs it: tensors, and the index space. On a machine with the chip these are the
   calls that make a graph of its library; here they are the model's. */

#ifndef TPC_HOST_H
#define TPC_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tpc.h"

/* A tensor of elements in memory. The first axis is the one along which vectors lie: there neighbours are side by side. */
tensor tpc_input(const char *type, const void *base, int64_t start, int rank, const int64_t *sizes, const int64_t *strides);
/* A tensor of the rows that pointers lead to. */
tensor tpc_input_rows(const char *type, const void *const *rows, int64_t count, int64_t columns);
/* A tensor for results; `tpc_result` is where they are when the kernel has run. */
tensor tpc_output(const char *type, int rank, const int64_t *sizes);
const void *tpc_result(tensor from);
/* A number as the kernel gets it. */
int tpc_int(int64_t value);
void tpc_begin(int64_t columns, int64_t rows);
bool tpc_member(void);
void tpc_end(void);

/* Runs the kernel for all members of an index space. */
#define TPC_RUN(columns, rows, call) \
    for (tpc_begin(columns, rows); tpc_member();) { \
        call; \
    }

#endif
