// Each function holds one construct that is not modelled; the comment on its line has a part of the message.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    float x, y;
};
union bits {
    float f;
    uint32_t u;
};
struct node {
    int value;
    struct node *next;
};
struct holder {
    float (*apply)(float);
    union bits either;
    struct point points[4];
    volatile int status;
    float *vals;
    void *any;
    float *rows[4];
    float weights[4];
    unsigned flag : 1;
};
static _Thread_local int counter;
volatile float watched;
union { int i; float f; } number;
struct { float x, y; } points[4];
float *cursor;
#define TEN 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
#define FIFTY TEN, TEN, TEN, TEN, TEN
static const float large[300] = {FIFTY, FIFTY, FIFTY, FIFTY, FIFTY, FIFTY};
extern struct one { int n; } elsewhere;
extern float unknown_length[];
extern const float fixed_elsewhere;

int recursive(int n) {
    return n ? n * recursive(n - 1) : 1; // recursion
}
int other(int n);
int mutual(int n) {
    return n ? other(n - 1) : 0;
}
int other(int n) {
    return mutual(n); // mutual: recursion
}
float external(float x) {
    float y = x + 1;
    return cosine_of(y); // cosine_of, which is not defined
}
float through_pointer(float (*f)(float), float x) {
    return f(x); // function pointer
}
int assembly(int x) {
    __asm__("nop" : "+r"(x)); // inline assembly
    return x;
}
int volatile_read(volatile int *p) {
    return *p; // volatile
}
int volatile_local(void) {
    volatile int x = 3; // volatile
    return x;
}
void volatile_unused(volatile int *p) {
    *p; // volatile
}
void atomic_add(_Atomic int *p) {
    *p += 1; // atomic
}
void elements_as_numbers(struct point *p, int n) {
    float *q = (float *)p;
    for (int i = 0; i < n; i++)
        q[i] = p[i].x; // an array of structs: an index from the field x of p out of it
}
void elements_as_others(struct point *p, int n) {
    struct node *q = (struct node *)p;
    for (int i = 0; i < n; i++)
        q[i].value = 0; // an array of structs: p seen as an array of structs of another type
}
struct filled {
    float *cells;
    unsigned flag : 2;
};
void rows_of_elements(struct filled *p, float *cells, int n) {
    for (int i = 0; i < n; i++)
        p[i].cells = cells; // an array of structs: a change of the pointers cells of p
}
void swapped_elements(struct filled *p, int i, int j) {
    p[i] = p[j]; // an array of structs: the field flag of p is a bit-field
}
int flags_of_elements(const struct filled *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i].flag; // an array of structs: the field flag of p is a bit-field
    return s;
}
int elements_that_point(const struct node *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i].next->value; // an array of structs: the field next of p is of type struct node *
    return s;
}
long difference_of_elements(const struct point *p, const struct point *q, int i) {
    return &p[i] - q; // near: p
}
int sum_list(const struct node *p) {
    int s = 0;
    while (p) { // near: in a list or a tree
        s += p->value;
        p = p->next;
    }
    return s;
}
int bit_field(const struct holder *h) {
    return h->flag; // the bit-field h->flag
}
float union_field(const struct holder *h) {
    return h->either.f; // the field h->either of type union bits
}
float struct_array_field(const struct holder *h, int i) {
    return h->points[i].x; // an array of structs, h->points
}
int volatile_field(const struct holder *h) {
    return h->status; // the volatile field h->status
}
int volatile_struct(volatile struct holder *h, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += h->status; // volatile
    return sum;
}
int volatile_view(volatile struct node *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p->value; // a volatile or atomic access to p->value
    return sum;
}
float function_field(const struct holder *h, float x) {
    return h->apply(x); // function pointer
}
float untyped_field(const struct holder *h) {
    return *(const float *)h->any + ((const int *)h->any)[1]; // the parameter h_any of type void *
}
float row_array_field(const struct holder *h) {
    return h->rows[1][2]; // the field h->rows of type float *[4]
}
void pointer_field(struct holder *h, float *v) {
    h->vals = v; // a change of the pointer h->vals
}
float past_a_field(const struct point *p, int i) {
    const float *q = &p->x;
    return q[i]; // an index from the field p->x
}
void struct_fill(struct point *p) {
    memset(p, 0, sizeof *p); // a block fill
}
void long_fill(struct holder *h) {
    memset(h->weights, 0, 5 * sizeof(float)); // a fill or copy of more than the field h->weights
}
void struct_copy(struct point *a, const struct point *b) {
    *a = *b; // a block copy
}
void either_field(struct point *p, int c) {
    float *q = c ? &p->x : &p->y; // near: one of several fields of p
    *q = 1;
}
struct holder struct_result(void) { // a result of type struct holder
    struct holder h = {0};
    return h;
}
uint32_t reinterpret(float x) {
    union bits b;
    b.f = x; // near: union
    return b.u;
}
float local_structs(int n) {
    struct point p[8];
    for (int i = 0; i < 8; i++)
        p[i].x = n + i; // local array p
    return p[n & 7].x;
}
float local_rows(float *a, float *b, int n) {
    float *r[2] = {a, b}; // near: local array r
    return r[n & 1][0];
}
int written_by_thread(void) {
    return ++counter; // thread_local variable counter
}
float read_watched(void) {
    return watched; // volatile variable watched
}
float read_number(void) {
    return number.f; // global variable number of type union
}
float read_points(int i) {
    return points[i].x; // global variable points of type struct[4]; supported are global variables that are numbers
}
float moved_cursor(void) {
    return *cursor++; // a change of the pointer cursor
}
float read_large(int i) {
    return large[i]; // constant table large of 300 cells
}
int read_elsewhere(void) {
    return elsewhere.n; // variable elsewhere, which is defined in another file, of type struct.one
}
float read_unknown_length(int i) {
    return unknown_length[i]; // array unknown_length of a length that its declaration does not say
}
float read_fixed_elsewhere(float x) {
    return x * fixed_elsewhere; // constant fixed_elsewhere
}
float *allocated(int n) { // a result of type float *
    return malloc(n);
}
const float *pointer_result(const float *p, const float *q, int which) { // a result of type const float *
    return which ? p : q;
}
void *reallocated(void *p, int n) {
    return realloc(p, n); // dynamic memory
}
void released(float *p) {
    free(p); // dynamic memory
}
void swapped_rows(float **a) {
    float *t = a[0];
    a[0] = a[1]; // a change of the pointers to the rows of a
    a[1] = t;
}
float struct_rows(struct point **p, int i) { // near: struct point * *
    return p[i]->x;
}
void untyped(void *p) {
    ((char *)p)[0] = ((int *)p)[1]; // void *
}
int other_width(const int *p) {
    return ((const short *)p)[1]; // 2 bytes
}
float other_type(const int *p) {
    return *(const float *)p; // another type
}
int two_arrays(const int *a, const int *b) {
    return a < b; // pointers into a and b
}
long double wide(long double x) { // long double
    return x;
}
float infinite(void) {
    return INFINITY; // infinite
}
void zero(float *p, int n) {
    memset(p, 0, n); // memset
}
void ones(float *p, int n) {
    memset(p, 1, n * sizeof *p); // memset
}
int sum_all(int n, ...) { // variable number
    va_list list;
    va_start(list, n);
    int s = va_arg(list, int);
    va_end(list);
    return s;
}
int prints(int n) {
    return printf("%d\n", n); // printf
}
int irreducible(int n, int c) {
    if (c)
        goto inside;
again:
    n -= 2;
inside:
    n--;
    if (n > 0)
        goto again; // irreducible
    return n;
}
int computed(int n) {
    static void *labels[] = {&&one, &&two};
    goto *labels[n & 1]; // global variable labels of type void *[2]
one:
    return 1;
two:
    return 2;
}
float remainder_of(float x, float y) {
    return remainderf(x, y); // remainderf
}
int address(int n) {
    int x = n;
    scanf("%d", &x); // scanf
    return x;
}
typedef float vec4 __attribute__((vector_size(16)));
float simd(const float *p) {
    vec4 v = {p[0], p[1], p[2], p[3]}; // insertelement
    v = v * v;
    return v[0];
}
int aborts_in_part(int *p, int n) {
    if (n < 0) {
        p[0] = 1;
        puts("no");
        abort(); // a call of abort
    }
    return n;
}
float online_softmax(const float *x, int n) {
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        float k = fmaxf(m, x[i]);
        s = s * expf(m - k) + expf(x[i] - k); // arithmetic on a value that is INFINITY at first
        m = k;
    }
    return s;
}
