/* Tensors and index spaces of the model. It refuses coordinates outside of a tensor, elements of another type than its own, a result
   that is read, written twice, or not written, and memory that the function was not given. */

#include "tpc_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TENSORS = 32, REGIONS = 64, AXES = 5 };

static struct {
    char type[4];
    char *base;
    uint8_t *written; /* of results: which elements were */
    bool owned;
    int rank;
    int64_t size[AXES], stride[AXES];
} tensors[TENSORS];
static int tensor_count;
static struct { uintptr_t start, stop; } regions[REGIONS];
static int region_count;
static int64_t space[2], next_member;
static int64_t issued[TPC_KINDS], bytes_read, bytes_written; /* of the last call */
static void (*refused)(const char *);

void gaudi_model_refusal(void (*handler)(const char *)) {
    refused = handler;
}

void gaudi_model_refuse(const char *why) {
    if (refused)
        refused(why); /* does not return */
    abort();
}

void gaudi_model_regions_end(void) {
    region_count = 0;
    memset(issued, 0, sizeof issued);
    bytes_read = bytes_written = 0;
    tpc_end();
}

void gaudi_model_region(const void *start, size_t bytes, bool writable) {
    (void)writable;
    if (region_count == REGIONS)
        abort();
    regions[region_count].start = (uintptr_t)start;
    regions[region_count++].stop = (uintptr_t)start + bytes;
}

void tpc_issued(int kind) {
    issued[kind]++;
}

/* Loads, stores and computations have a slot each in an instruction: no fewer cycles are needed on one core. */
const char *gaudi_model_costs(void) {
    static char text[400];
    int64_t computed = issued[TPC_VECTOR] + issued[TPC_SPECIAL], most = computed;
    most = issued[TPC_LOAD] > most ? issued[TPC_LOAD] : most;
    most = issued[TPC_STORE] > most ? issued[TPC_STORE] : most;
    snprintf(text, sizeof text,
        "{\"cycles at least, on one core\": %lld, \"instructions\": {\"load\": %lld, \"store\": %lld, \"vector\": %lld, "
        "\"special function\": %lld}, \"bytes\": {\"read\": %lld, \"written\": %lld}}",
        (long long)most, (long long)issued[TPC_LOAD], (long long)issued[TPC_STORE], (long long)issued[TPC_VECTOR],
        (long long)issued[TPC_SPECIAL], (long long)bytes_read, (long long)bytes_written);
    return text;
}

static size_t bytes_of(const char *type) {
    return strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

static int64_t elements(int rank, const int64_t *sizes) {
    int64_t count = 1;
    for (int d = 0; d < rank; d++)
        count *= sizes[d] < 0 ? 0 : sizes[d];
    return count;
}

static void inside(const void *start, size_t bytes) {
    for (int r = 0; r < region_count; r++)
        if (regions[r].start <= (uintptr_t)start && (uintptr_t)start + bytes <= regions[r].stop)
            return;
    gaudi_model_refuse("the model: a tensor that leaves its array");
}

static tensor made(const char *type, int rank, const int64_t *sizes) {
    if (tensor_count == TENSORS || rank < 1 || rank > AXES)
        gaudi_model_refuse("the model: a tensor has one to five axes, a kernel few tensors");
    memset(&tensors[tensor_count], 0, sizeof tensors[0]);
    strncpy(tensors[tensor_count].type, type, 3);
    tensors[tensor_count].rank = rank;
    for (int d = 0; d < rank; d++) {
        tensors[tensor_count].size[d] = sizes[d] < 0 ? 0 : sizes[d];
        if (sizes[d] > INT32_MAX - 256 && elements(rank, sizes) > 0)
            gaudi_model_refuse("the model: a tensor is too large for coordinates of 32 bits");
    }
    return tensor_count++;
}

tensor tpc_input(const char *type, const void *base, int64_t start, int rank, const int64_t *sizes, const int64_t *strides) {
    tensor t = made(type, rank, sizes);
    int64_t last = 0;
    size_t bytes = bytes_of(type);
    for (int d = 0; d < rank; d++) {
        if (strides[d] < 0 || (d == 0 && sizes[0] > 1 && strides[0] != 1))
            gaudi_model_refuse("the model: elements of the first axis lie side by side, those of others forwards");
        tensors[t].stride[d] = strides[d];
        last += sizes[d] > 0 ? (sizes[d] - 1) * strides[d] : 0;
    }
    if (elements(rank, sizes) > 0) {
        if (start < 0)
            gaudi_model_refuse("the model: a tensor that leaves its array");
        tensors[t].base = (char *)base + (size_t)start * bytes;
        inside(tensors[t].base, ((size_t)last + 1) * bytes);
    }
    return t;
}

static char *own(size_t bytes) {
    char *memory = calloc(bytes + 1, 1);
    if (!memory)
        gaudi_model_refuse("the model: no memory");
    return memory;
}

tensor tpc_input_rows(const char *type, const void *const *rows, int64_t count, int64_t columns) {
    tensor t = made(type, 2, (int64_t[]){columns, count});
    size_t bytes = bytes_of(type);
    tensors[t].stride[0] = 1;
    tensors[t].stride[1] = columns;
    tensors[t].owned = true;
    tensors[t].base = own((size_t)elements(2, tensors[t].size) * bytes);
    if (columns > 0)
        for (int64_t r = 0; r < count; r++) {
            inside(rows[r], (size_t)columns * bytes);
            memcpy(tensors[t].base + (size_t)(r * columns) * bytes, rows[r], (size_t)columns * bytes);
        }
    return t;
}

tensor tpc_output(const char *type, int rank, const int64_t *sizes) {
    tensor t = made(type, rank, sizes);
    size_t count = (size_t)elements(rank, tensors[t].size);
    int64_t stride = 1;
    for (int d = 0; d < rank; d++) {
        tensors[t].stride[d] = stride;
        stride *= tensors[t].size[d];
    }
    tensors[t].owned = true;
    tensors[t].base = own(count * bytes_of(type));
    tensors[t].written = (uint8_t *)own(count);
    return t;
}

const void *tpc_result(tensor from) {
    int64_t count = elements(tensors[from].rank, tensors[from].size);
    for (int64_t i = 0; i < count; i++)
        if (!tensors[from].written[i])
            gaudi_model_refuse("the model: an element of a result is not written");
    return tensors[from].base;
}

int tpc_int(int64_t value) {
    if (value < INT32_MIN || value > INT32_MAX)
        gaudi_model_refuse("a number that the kernel is given has more than 32 bits");
    return (int)value;
}

/* Members run one by one, from the last to the first: no order may be relied on. */
void tpc_begin(int64_t columns, int64_t rows) {
    space[0] = columns < 0 ? 0 : columns;
    space[1] = rows < 0 ? 0 : rows;
    next_member = space[0] * space[1];
}

bool tpc_member(void) {
    return next_member-- > 0;
}

int5 get_index_space_offset(void) {
    return (int5){(int)(next_member % space[0]), (int)(next_member / space[0]), 0, 0, 0};
}

int5 get_index_space_size(void) {
    return (int5){1, 1, 1, 1, 1};
}

void tpc_end(void) {
    while (tensor_count > 0) {
        tensor_count--;
        if (tensors[tensor_count].owned)
            free(tensors[tensor_count].base);
        free(tensors[tensor_count].written);
    }
}

static int64_t place(int5 at, tensor t, int count, const char *type) {
    if (t < 0 || t >= tensor_count || strcmp(tensors[t].type, type) != 0)
        gaudi_model_refuse("the model: an intrinsic of another type than the tensor's elements");
    int64_t found = 0;
    for (int d = 0; d < AXES; d++) {
        int64_t last = at[d] + (d == 0 ? (int64_t)count - 1 : 0);
        if (at[d] < 0 || last >= (d < tensors[t].rank ? tensors[t].size[d] : 1))
            gaudi_model_refuse("the model: coordinates outside of the tensor");
        found += at[d] * tensors[t].stride[d];
    }
    return found;
}

const void *tpc_read(int5 at, tensor from, int count, const char *type) {
    int64_t start = place(at, from, count, type);
    if (tensors[from].written)
        gaudi_model_refuse("the model: a result is read");
    tpc_issued(TPC_LOAD);
    bytes_read += count * (int64_t)bytes_of(type);
    return tensors[from].base + (size_t)start * bytes_of(type);
}

void tpc_write(int5 at, tensor to, int count, const char *type, const void *elements_at) {
    int64_t start = place(at, to, count, type);
    if (!tensors[to].written)
        gaudi_model_refuse("the model: a tensor that is read is written");
    tpc_issued(TPC_STORE);
    bytes_written += count * (int64_t)bytes_of(type);
    for (int64_t i = start; i < start + count; i++)
        if (tensors[to].written[i]++)
            gaudi_model_refuse("the model: an element of a result is written twice");
    memcpy(tensors[to].base + (size_t)start * bytes_of(type), elements_at, (size_t)count * bytes_of(type));
}
