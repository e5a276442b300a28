/* What the models of the library and of the instructions share. */

#ifndef GEMMINI_MODEL_H
#define GEMMINI_MODEL_H

#include "gemmini.h"

struct gemmini_model_took { int64_t calls, instructions, macs, rows, read, written; }; /* by the last function */
extern struct gemmini_model_took gemmini_model_took;

void gemmini_model_refuse(const char *why);
void gemmini_model_restart(void); /* the instructions' memories hold nothing */
/* Where an element of an array is; what lies outside of the arrays is refused. */
const void *gemmini_model_at(const void *base, size_t place, size_t bytes, bool write);
elem_t gemmini_model_moved_in(elem_t x, scale_t scale);
elem_t gemmini_model_moved_out(acc_t x, int act, acc_scale_t scale);
acc_t gemmini_model_accumulated(acc_t x, acc_t y);

#endif
