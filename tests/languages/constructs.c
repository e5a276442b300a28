// One function for each row of docs/languages.md that C has.
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void count_up(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = 2.0f * x[i]; }

int count_down(int n, const int *x) { int s = 0; for (int i = n - 1; i >= 0; i--) s += x[i]; return s; }

void strided(int n, const float *x, float *y) { for (int i = 0; i < n; i += 2) y[i / 2] = x[i]; }

int while_loop(int n, const int *x) { int s = 0, i = 0; while (i < n) { s += x[i]; i++; } return s; }

int do_while(int n, const int *x) { int s = 0, i = 0; if (n < 1) return 0; do { s += x[i]; i++; } while (i < n); return s; }

void nested(int rows, int cols, const float *a, float *sums)
{
    for (int r = 0; r < rows; r++) {
        float s = 0;
        for (int c = 0; c < cols; c++) s += a[r * cols + c];
        sums[r] = s;
    }
}

void triangular(int n, const float *x, float *sums)
{
    for (int i = 0; i < n; i++) {
        sums[i] = 0;
        for (int j = 0; j <= i; j++) sums[i] += x[j];
    }
}

int early_return(int n, const int *x, int wanted)
{
    for (int i = 0; i < n; i++) if (x[i] == wanted) return i;
    return -1;
}

bool early_break(int n, const int *x)
{
    bool found = false;
    for (int i = 0; i < n; i++) if (x[i] < 0) { found = true; break; }
    return found;
}

int skipped(int n, const int *x) { int s = 0; for (int i = 0; i < n; i++) { if (x[i] < 0) continue; s += x[i]; } return s; }

void two_counters(int n, const int *x, int *y) { for (int i = 0, j = n - 1; i < n; i++, j--) y[j] = x[i]; }

int until_zero(const char *text) { int n = 0; while (text[n]) n++; return n; }

float each_element(int n, const float *x) { float s = 0; for (const float *p = x; p != x + n; p++) s += *p; return s; }

int over_index_and_value(int n, const int *x) { int s = 0; for (int i = 0; i < n; i++) { int v = x[i]; s += i * v; } return s; }

float over_two(int n, const float *x, const float *y) { float s = 0; while (n-- > 0) s += *x++ * *y++; return s; }

double recurrence(int n, const double *x, double *y, double a)
{
    double s = 0;
    for (int i = 0; i < n; i++) { s = a * s + x[i]; y[i] = s; }
    return s;
}

void buffers(int n, int steps, double *x, double *y)
{ for (int t = 0; t < steps; t++) { for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1]; double *z = x; x = y; y = z; } }

void sweeps(int n, int steps, double *x, double *y)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
        for (int i = 1; i < n - 1; i++) x[i] = y[i];
    }
}

int unbounded(int x) { int n = 0; while (x != 1) { x = x % 2 ? 3 * x + 1 : x / 2; n++; } return n; }

static int sum_from(const int *x, int i, int n) { return i == n ? 0 : x[i] + sum_from(x, i + 1, n); }
int recursive(int n, const int *x) { return sum_from(x, 0, n); }

void narrow(int n, const uint8_t *a, const uint8_t *b, uint8_t *y) { for (int i = 0; i < n; i++) y[i] = (a[i] + b[i]) / 2; }

uint32_t wrapping(int n, const uint32_t *x) { uint32_t h = 0; for (int i = 0; i < n; i++) h += x[i] * 31u; return h; }

int64_t wide(int n, const int *x) { int64_t s = 0; for (int i = 0; i < n; i++) s += (int64_t)x[i] * x[i]; return s; }

void bits(int n, const uint32_t *x, uint32_t *y) { for (int i = 0; i < n; i++) y[i] = (x[i] >> 3 & 7u) | (x[i] << 4); }

void divided(int n, const int *x, int *y) { for (int i = 0; i < n; i++) y[i] = x[i] / 7 + x[i] % 7; }

void saturated(int n, const int16_t *a, const int16_t *b, int16_t *y)
{
    for (int i = 0; i < n; i++) {
        int s = a[i] + b[i];
        y[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s;
    }
}

void converted(int n, const float *x, int *y) { for (int i = 0; i < n; i++) y[i] = (int)(x[i] * 4.0f); }

void mathematics(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = exp(-x[i] * x[i]) + sqrt(fabs(x[i])); }

void conditional(int n, const float *x, float *y) { for (int i = 0; i < n; i++) if (x[i] > 0) y[i] = x[i]; else y[i] = 0.1f * x[i]; }

double infinite_start(int n, const double *x) { double m = -INFINITY; for (int i = 0; i < n; i++) if (x[i] > m) m = x[i]; return m; }

double questions(int n, const double *x) { double s = 0; for (int i = 0; i < n; i++) if (!isnan(x[i]) && !isinf(x[i])) s += x[i]; return s; }

int truth(int n, const bool *a, const bool *b) { int k = 0; for (int i = 0; i < n; i++) k += a[i] && !b[i]; return k; }

void respelled(int n, const char *s, char *t) { for (int i = 0; i < n; i++) t[i] = s[i] == 'a' ? 'b' : s[i]; }

int characters(int n, const char *s) { int k = 0; for (int i = 0; i < n; i++) if (s[i] >= '0' && s[i] <= '9') k++; return k; }

void cases(int n, const int *kind, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        switch (kind[i]) {
        case 0: y[i] = x[i]; break;
        case 1: y[i] = -x[i]; break;
        default: y[i] = 0;
        }
}

enum { OFFSET = 5 };
void named_constants(int n, const int *x, int *y) { for (int i = 0; i < n; i++) y[i] = x[i] + OFFSET; }

static const float WEIGHTS[4] = {0.1f, 0.4f, 0.4f, 0.1f};
void constant_table(int n, const float *x, float *y)
{
    for (int i = 0; i + 3 < n; i++) {
        y[i] = 0;
        for (int k = 0; k < 4; k++) y[i] += WEIGHTS[k] * x[i + k];
    }
}

double complex_parts(int n, const double *re, const double *im) { double s = 0; for (int i = 0; i < n; i++) s += re[i] * re[i] + im[i] * im[i]; return s; }

void in_place(int n, float *x, float a) { for (int i = 0; i < n; i++) x[i] *= a; }

void part_written(int n, int *x) { for (int i = 1; i < n; i += 2) x[i] = 0; }

void written_where(int n, float *x) { for (int i = 0; i < n; i++) if (x[i] < 0) x[i] = 0; }

void grid(int n, const float a[][16], float b[][16]) { for (int i = 0; i < n; i++) for (int j = 0; j < 16; j++) b[i][j] = a[i][15 - j]; }

float local_array(int n, const float *x)
{
    float best[2] = {0, 0};
    for (int i = 0; i < n; i++) { best[0] += x[i]; best[1] += x[i] * x[i]; }
    return best[1] - best[0] * best[0] / n;
}

int allocated(int n, const int *x)
{
    int *squares = malloc(n * sizeof(int));
    int s = 0;
    for (int i = 0; i < n; i++) squares[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += squares[i];
    free(squares);
    return s;
}

float *allocated_result(int n, const float *x)
{
    float *doubled = malloc(n * sizeof *doubled);
    if (doubled == NULL) return NULL;
    for (int i = 0; i < n; i++) doubled[i] = 2 * x[i];
    return doubled;
}

struct point { float x, y; };
float records(int n, const struct point *p) { float s = 0; for (int i = 0; i < n; i++) s += p[i].x * p[i].y; return s; }

struct point record_result(int n, const float *x, const float *y)
{
    struct point s = {0, 0};
    for (int i = 0; i < n; i++) { s.x += x[i]; s.y += y[i]; }
    return s;
}

struct image { int width, height; float *data; };
void record_with_array(struct image im, float a) { for (int i = 0; i < im.width * im.height; i++) im.data[i] *= a; }
struct image record_made(struct image im, float a)
{
    struct image made = {im.width, im.height, malloc(im.width * im.height * sizeof(float))};
    for (int i = 0; i < im.width * im.height; i++) made.data[i] = a * im.data[i];
    return made;
}

static int calls;
int global_scalar(int n, const int *x) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; calls += 1; return s; }

int table[256];
void global_array(int n, const uint8_t *x, int *y) { for (int i = 0; i < n; i++) y[i] = table[x[i]]; }

void gathered(int n, const int *at, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[at[i]]; }

void counted_by_index(int n, const uint8_t *x, int *counts) { for (int i = 0; i < n; i++) counts[x[i]]++; }

void several_results(int n, const int *x, int *low, int *high)
{
    int a = x[0], b = x[0];
    for (int i = 1; i < n; i++) { if (x[i] < a) a = x[i]; if (x[i] > b) b = x[i]; }
    *low = a;
    *high = b;
}

int place_of_best(int n, const float *x) { int k = 0; for (int i = 1; i < n; i++) if (x[i] > x[k]) k = i; return k; }

int selected(int n, const int *x, int *y) { int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0) y[k++] = x[i]; return k; }

void windowed(int n, const float *x, float *y) { for (int i = 1; i + 1 < n; i++) y[i] = x[i - 1] + x[i] + x[i + 1]; }

void clamped_border(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
        int j = i == 0 ? 0 : i - 1;
        y[i] = x[i] - x[j];
    }
}

void copied(int n, const float *x, float *y) { memcpy(y, x, n * sizeof(float)); }

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void sorted_copy(int n, int *x) { qsort(x, n, sizeof(int), by_value); }

int matching(int n, const char *a, const char *b) { return strncmp(a, b, n) == 0; }

static float square(float x) { return x * x; }
float helper(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += square(x[i]); return s; }

float by_pointer(int n, const float *x, float (*f)(float)) { float s = 0; for (int i = 0; i < n; i++) s += f(x[i]); return s; }

int printing(int n, const int *x) { int s = 0; for (int i = 0; i < n; i++) { s += x[i]; printf("%d\n", s); } return s; }

int asserted(int n, const int *x) { assert(n > 0); int m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }

int absent(int n, const int *x) { if (!x) return -1; int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }

int failing(int n, const int *x) { int s = 0; for (int i = 0; i < n; i++) { if (x[i] < 0) return -1; s += x[i]; } return s; }

int reading_files(const char *name) { FILE *f = fopen(name, "r"); int c, n = 0; while ((c = fgetc(f)) != EOF) n++; fclose(f); return n; }

extern int sensor(void);
int outside_calls(int n) { int s = 0; for (int i = 0; i < n; i++) s += sensor(); return s; }

int watched(int n, const volatile int *x) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }

struct node { int value; struct node *next; };
int linked(const struct node *p) { int s = 0; while (p) { s += p->value; p = p->next; } return s; }
double reduced_selection(double *y, const double *x, int n) { int m = 0; for (int i = 0; i < n; i++) if (x[i] > 0) y[m++] = x[i]; double s = 0; for (int j = 0; j < m; j++) s += y[j]; return s; }
int first_match(const int *x, int n, int k) { for (int i = 0; i < n; i++) if (x[i] > k) return x[i]; return -1; }
