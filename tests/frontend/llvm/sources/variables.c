/* Global variables, bytes that are used as another type, sizes behind pointers, and long doubles. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    int order;
    int *dimensions;
    float *vals;
} tensor;
struct state {
    int count;
    float ring[8];
    struct {
        int16_t low, high;
    } range;
    float *samples;
};
typedef struct {
    int32_t *shape;
    uint8_t *bytes;
} blob;

int group = 4;
float gain;
static int calls;
static float history[16];
static int grid[3][4];
static bool seen;
static tensor weights;
struct state shared;
float *buffer;
struct state *current;
extern float elsewhere[8];
double data, lengths; /* names that a wrapper has, too */

void scaled(float *y, const float *x, int n) {
    for (int i = 0; i < n; i++)
        y[i] = gain * x[i / group];
    calls++;
}
void remember(const float *x) {
    for (int i = 0; i < 16; i++)
        history[i] = 0.5f * history[i] + 0.25f * x[i];
}
int first_time(int n) {
    bool before = seen;
    seen = n > 2;
    return before ? n : grid[1][2];
}
void cleared(void) {
    memset(grid, 0, sizeof grid);
}
static void count(int by) {
    shared.count += by;
}
void counted(float *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] += shared.ring[i & 7];
    count(n);
    count(1);
    shared.range.high = shared.range.low;
}
void through_pointers(int n) {
    for (int i = 0; i < n; i++)
        buffer[i] = current->samples[i] * shared.samples[i] + current->count;
}
float named_alike(float group) {
    return group + data + lengths + elsewhere[3];
}
void weighted(float *y) {
    for (int i = 0; i < weights.dimensions[0] * weights.dimensions[2]; i++)
        y[i] = weights.vals[i];
}
void blob_axpy(blob *y, blob *x, float a) {
    int n = (int)y->shape[0];
    float *out = (float *)(y->bytes);
    float *in = (float *)(x->bytes);
    for (int i = 0; i < n; i++)
        out[i] += a * in[i];
}
void halved(void *buffer, int n) {
    uint16_t *p = buffer;
    while (n-- > 0)
        *p++ /= 2;
}
double wide_mean(const float *x, int n) {
    long double mean = 0;
    for (int i = 0; i < n; i++)
        mean += (x[i] - mean) / (i + 1);
    return sqrtl(mean * mean) + 0.1L * (n > 2.5L);
}
