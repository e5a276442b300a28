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
static int counter;
static float table[4] = {1, 2, 3, 4};
#define TEN 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
static const float large[66] = {TEN, TEN, TEN, TEN, TEN, TEN, 1, 2, 3, 4, 5, 6};
extern float scale;

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
float struct_value(struct point p) { // struct point
    return p.x + p.y;
}
float struct_pointer(const struct point *p) {
    return p->x; // struct point
}
uint32_t reinterpret(float x) {
    union bits b;
    b.f = x; // near: union
    return b.u;
}
int local_array(int n) {
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = n + i; // local array a
    return a[n & 7];
}
int variable_length(int n) {
    int a[n];
    a[0] = 1; // local array a
    return a[0];
}
int written_global(void) {
    return ++counter; // global variable counter
}
float read_table(int i) {
    return table[i]; // global variable table
}
float read_large(int i) {
    return large[i]; // constant table large of 66 cells
}
float read_external(float x) {
    return x * scale; // global variable scale
}
float *allocated(int n) {
    return malloc(n); // dynamic memory
}
const float *pointer_result(const float *p) { // a result of type const float *
    return p + 1;
}
float scratch(float x) {
    float *p = malloc(4); // dynamic memory
    p[0] = x;
    return p[0];
}
void rows(float **a, int n) {
    for (int i = 0; i < n; i++)
        a[i][0] = 0; // float * *
}
void untyped(void *p) {
    ((char *)p)[0] = 0; // void *
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
int either(const int *a, const int *b, int c) {
    const int *p = c ? a : b;
    return p[0]; // near: any of a, b
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
void copy(float *p, const float *q, int n) {
    memmove(p, q, n * sizeof *p); // memmove
}
int sum_all(int n, ...) { // variable number
    va_list list;
    va_start(list, n);
    int s = va_arg(list, int);
    va_end(list);
    return s;
}
void prints(int n) {
    printf("%d\n", n); // printf
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
    goto *labels[n & 1]; // indirectbr
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
        puts("no"); // puts
        abort();
    }
    return n;
}
