#include <stdint.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>

// conversion back to uint8_t truncates; careless rounds to nearest
void brighten_trunc(const uint8_t *a, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) {
        double v = a[i] * 1.2;
        o[i] = v > 255 ? 255 : v;
    }
}

// the cast truncates toward zero, so x + 0.5 rounds negatives differently from floor(x + 0.5)
void halve_round(const int *a, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (int)(a[i] * 0.5 + 0.5);
}

// division happens in int although the result is double
double midpoint_int(int a, int b) {
    return (a + b) / 2;
}

// product is done in double, no 32-bit wrap
double area_product(int w, int h) {
    return w * (double)h;
}

// product is done in unsigned and wraps before conversion to double
double area_unsigned(unsigned w, unsigned h) {
    return w * h;
}

// distinct ints are equal after conversion to float
int same_as_float(int a, int b) {
    return (float)a == (float)b;
}

// the float accumulator absorbs small addends; an int sum is different
float sum_ints_float(const int *a, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}

// int64 -> double -> int64 is not the identity
int64_t roundtrip_double(int64_t x) {
    double d = x;
    return d > 9e18 || d < -9e18 ? 0 : (int64_t)d;
}

// returning a double mean as int truncates toward zero, // floors
int mean_as_int(const int *a, int n) {
    if (n <= 0) return 0;
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s / n;
}

// signed sum divided by unsigned length is an unsigned division
double mean_unsigned_len(const int *a, unsigned n) {
    if (n == 0) return 0;
    int s = 0;
    for (unsigned i = 0; i < n; i++) s += a[i];
    return s / n;
}

// i *= 1.5 truncates at every step, not once at the end
int grow_compound(int i, int n) {
    for (int k = 0; k < n; k++) i *= 1.5;
    return i;
}

// a double counter with step 0.1 runs 11 times up to 1.0, not ceil(end / 0.1)
int count_tenths(double end, int n) {
    int c = 0;
    for (double t = 0; t < end && c < n; t += 0.1) c++;
    return c;
}

// float argument compared with the double literal 0.1 is never equal
int is_tenth(float x) {
    return x == 0.1;
}

// 0.1 is a double: the product is rounded once, not a float32 product with 0.1f
void tenth_of(const float *a, float *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] * 0.1;
}

// for equal-comparing zeros (and NaN) the second operand is returned, np.maximum differs
double larger_or_second(double a, double b) {
    return a > b ? a : b;
}

// 0 - x and -x differ in the sign of zero, and copysign sees it
double sign_of_negated(double x) {
    return copysign(1.0, -x);
}

// int and unsigned arms: the int arm becomes unsigned before the conversion to double
double pick_unsigned(int c, int a, unsigned b) {
    return c ? a : b;
}

// int and float arms: the int arm is rounded to float even when chosen
double pick_float(int c, int a, float b) {
    return c ? a : b;
}

// saturate in float, then truncate (no rounding, no wrap)
void gain_saturate(const uint8_t *a, uint8_t *o, int n, float g) {
    for (int i = 0; i < n; i++) {
        float v = a[i] * g;
        if (v > 255) v = 255;
        if (v < 0) v = 0;
        o[i] = v;
    }
}

// +0.5f then truncate is round-half-up; np.round is half-to-even
void blend_half_up(const uint8_t *a, const uint8_t *b, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (uint8_t)(a[i] * 0.5f + b[i] * 0.5f + 0.5f);
}

// lround is half away from zero, np.round half-to-even
void round_away(const float *a, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = lround(a[i]);
}

// rint is half-to-even, floor(x + 0.5) is not
void halve_rint(const int *a, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (int)rint(a[i] * 0.5);
}

// float to int64 to unsigned wraps modulo 2^32; a direct conversion clamps or is undefined
unsigned wrap_to_unsigned(double x) {
    return (unsigned)(int64_t)x;
}

// fraction by truncation keeps the sign; x % 1 does not
double signed_fraction(double x) {
    return x - (int)x;
}

// 0.3 / 0.1 is below 3: the bin in real arithmetic is another one
int bin_index(double x, double step) {
    return (int)(x / step);
}

// fmod takes the sign of the dividend, np.mod of the divisor
void wrap_degrees(const double *a, double *o, int n) {
    for (int i = 0; i < n; i++) o[i] = fmod(a[i], 360.0);
}

// 29 / 100.0 * 100 is 28.999..., truncated to 28; the exact percentage is 29
int percent_trunc(int a, int b) {
    return b == 0 ? 0 : (int)(a / (double)b * 100);
}

// the weighted sum in double truncates to the byte below
void luma_trunc(const uint8_t *r, const uint8_t *g, const uint8_t *b, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = 0.299 * r[i] + 0.587 * g[i] + 0.114 * b[i];
}

// int accumulator += half: truncated at every step, so not int(sum(a * 0.5))
int sum_halves_stepwise(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i] * 0.5;
    return s;
}

// int16 * int16 is an int product; int16 arrays in NumPy wrap
double dot_int16(const int16_t *a, const int16_t *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

// integer halving inside a double sum
double sum_int_halves(const uint8_t *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] / 2;
    return s;
}

// the mean is truncated to int before the deviations
double variance_int_mean(const int *a, int n) {
    if (n <= 0) return 0;
    int m = 0;
    for (int i = 0; i < n; i++) m += a[i];
    m /= n;
    double s = 0;
    for (int i = 0; i < n; i++) s += (a[i] - m) * (a[i] - m);
    return s / n;
}

// bytes are subtracted in int, so the float may be negative; NumPy uint8 wraps
void byte_diff_float(const uint8_t *a, const uint8_t *b, float *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] - b[i];
}

// the int64 is rounded to double before comparing; a Python int compares exactly
int above_double(int64_t a, double b) {
    return a > b;
}

// reinterpreted as signed before conversion: top-half values become negative
double u64_as_signed(uint64_t x) {
    return (double)(int64_t)x;
}

// unsigned difference wraps before the conversion to double
void unsigned_gaps(const unsigned *a, const unsigned *b, double *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i] - b[i];
}

// t accumulates float rounding; i * h does not
void ramp_accumulated(float *o, int n, float h) {
    float t = 0;
    for (int i = 0; i < n; i++) {
        o[i] = t;
        t += h;
    }
}

// x != x is true for NaN; simplified to false in real arithmetic
int count_unordered(const double *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) c += a[i] != a[i];
    return c;
}

// a NaN in the middle is skipped; np.max returns NaN
float peak_skip_nan(const float *a, int n) {
    float m = 0;
    for (int i = 0; i < n; i++) if (a[i] > m) m = a[i];
    return m;
}

// any nonzero float is true; a test of the truncated value is not
int count_truthy(const float *a, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) if (a[i]) c++;
    return c;
}

// u -= 0.5 on unsigned truncates: a whole unit is lost each step, and 0 stays 0
unsigned drain_half(unsigned u, int n) {
    for (int k = 0; k < n; k++) u -= 0.5;
    return u;
}

// sqrtf rounds up to the next integer just below a square; math.isqrt does not
int isqrt_float(int x) {
    return x < 0 ? -1 : (int)sqrtf((float)x);
}

// the square is rounded to 53 bits before it becomes int64
int64_t square_via_double(int x) {
    return (int64_t)(1.0 * x * x);
}

// the sum a + (b - a) * t is truncated, not the product
void lerp_int(const int *a, const int *b, int *o, int n, float t) {
    for (int i = 0; i < n; i++) o[i] = a[i] + (b[i] - a[i]) * t;
}

// i < len is a float comparison: ceil(len) iterations, not int(len)
int sum_float_bound(const int *a, float len) {
    int s = 0;
    for (int i = 0; i < len; i++) s += a[i];
    return s;
}
