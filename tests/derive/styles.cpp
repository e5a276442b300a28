#include <cmath>
#include <cstdint>
#include <cstddef>
#include <cfloat>
#include <algorithm>
#include <vector>
// return max(b, a)
static inline float fmaxf2(float a, float b) {
    return a > b ? a : b;
}

// return max(min(255, v), 0)
static int clampi(int v) {
    return v < 0 ? 0 : (v > 255 ? 255 : v);
}

// out_1 = update(out, [int(cols) * i + j] = u8(2 * i32(base[int(cols) * i + j]) + i32(base[int(cols) * i + j]) - tdiv(2 * i32(base[int(cols) * i + j]) * i32(base[int(cols) * i + j]), 255) - 255 if 128 <= i32(base[int(cols) * i + j]) else tdiv(2 * i32(base[int(cols) * i + j]) * i32(base[int(cols) * i + j]), 255)) for i < int(rows), j < int(cols))
// out := out_1
// requires int(cols) * int(rows) - int(cols) <= 4294967295
// accesses out[0 .. int(cols) * int(rows) - 1]
// accesses base[0 .. int(cols) * int(rows) - 1]
void b1(uint8_t *out, const uint8_t *base, const uint8_t *act, unsigned rows, unsigned cols) {
    for (unsigned i = 0; i < rows; i++) {
        const uint8_t *b = base + i * cols;
        const uint8_t *a = act + i * cols;
        uint8_t *o = out + i * cols;
        for (unsigned j = 0; j < cols; j++)
            o[j] = b[j] >= 128 ? 2 * b[j] + b[j] - 2 * b[j] * b[j] / 255 - 255 : 2 * b[j] * b[j] / 255;
    }
}

// out_1 = update(out, [int(cols) * i + j] = 255 if i32(act[int(cols) * i + j]) == 0 else u8(255 - tdiv(255 - i32(base[int(cols) * i + j]), i32(act[int(cols) * i + j]))) for i < int(rows), j < int(cols))
// out := out_1
// accesses out[0 .. int(cols) * int(rows) - 1]
// accesses base[0 .. int(cols) * int(rows) - 1]
// accesses act[0 .. int(cols) * int(rows) - 1]
void b2(uint8_t *out, const uint8_t *base, const uint8_t *act, int rows, int cols) {
    int i = 0, j;
    while (i < rows) {
        j = 0;
        while (j < cols) {
            int idx = i * cols + j;
            uint8_t a = act[idx], b = base[idx];
            if (a == 0)
                out[idx] = 255;
            else
                out[idx] = 255 - (255 - b) / a;
            j++;
        }
        i++;
    }
}

// out_1 = update(out, [i] = min(base[i], act[i]) for i < int(cols) * int(rows))
// out := out_1
// accesses out[0 .. int(cols) * int(rows) - 1]
// accesses base[0 .. int(cols) * int(rows) - 1]
// accesses act[0 .. int(cols) * int(rows) - 1]
void b3(uint8_t *out, const uint8_t *base, const uint8_t *act, int rows, int cols) {
    int n = rows * cols;
    for (int i = 0; i < n; i++) {
        out[i] = std::min(base[i], act[i]);
    }
}

// out_1 = update(out, [k] = u8(i32(base[k]) + i32(act[k]) - tdiv(i32(base[k]) * i32(act[k]), 255)) for k < int(cols) * int(rows))
// out := out_1
// requires int(cols) * int(rows) <= 18446744073709551615
// accesses out[0 .. int(cols) * int(rows) - 1]
// accesses base[0 .. int(cols) * int(rows) - 1]
// accesses act[0 .. int(cols) * int(rows) - 1]
void b4(uint8_t *out, const uint8_t *base, const uint8_t *act, size_t rows, size_t cols) {
    for (size_t k = 0; k < rows * cols; ++k) {
        *out++ = *base + *act - *base * *act / 255;
        base++;
        act++;
    }
}

// out_1 = update(out, [int(cols) * i + j] = u8(max(min(255, i32(base[int(cols) * i + j]) + i32(act[int(cols) * i + j]) - 255), 0)) for i < int(rows), j < int(cols))
// out := out_1
// accesses out[0 .. int(cols) * int(rows) - 1]
// accesses base[0 .. int(cols) * int(rows) - 1]
// accesses act[0 .. int(cols) * int(rows) - 1]
void b5(uint8_t *out, const uint8_t *base, const uint8_t *act, int rows, int cols) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            int v = base[i * cols + j] + act[i * cols + j] - 255;
            out[i * cols + j] = clampi(v);
        }
}

// base_1 = update(base, [int(cols) * i + j] = min(act[int(cols) * i + j], base[int(cols) * i + j]) for i < int(rows), j < int(cols))
// base := base_1
// accesses base[0 .. int(cols) * int(rows) - 1]
// accesses act[0 .. int(cols) * int(rows) - 1]
void b6(int *base, const int *act, int rows, int cols) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            if (base[i * cols + j] > act[i * cols + j])
                base[i * cols + j] = act[i * cols + j];
        }
}

// m_1 = fold(int(n), -3.4028234663852886e+38, acc, i: max(acc, x[i]))
// o_1 = update(o, [i] = exp(x[i] - m_1) for i < int(n))
// s_1 = fold(int(n), 0, acc, i: acc + o_1[i])
// o_2 = update(o_1, [i] = o_1[i] / s_1 for i < int(n))
// o := o_2
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void s2(float *o, const float *x, int n) {
    float m = -FLT_MAX;
    for (int i = 0; i < n; i++)
        if (x[i] > m)
            m = x[i];
    float s = 0;
    for (int i = 0; i < n; i++)
        o[i] = expf(x[i] - m);
    for (int i = 0; i < n; i++)
        s += o[i];
    for (int i = 0; i < n; i++)
        o[i] = o[i] / s;
}

// m_1 = fold(int(n), x[0], acc, i: max(acc, x[i]))
// s_1 = fold(int(n), 0, acc, i: acc + exp(x[i] - m_1))
// x_1 = update(x, [i] = exp(x[i] - m_1) for i < int(n))
// x_2 = update(x_1, [i] = x_1[i] / s_1 for i < int(n))
// x := x_2
// accesses x[0 .. int(n) - 1]
void s3(float *x, int n) {
    if (n < 1)
        return;
    float m = x[0];
    int i;
    for (i = 0; i < n; ++i)
        m = std::max(m, x[i]);
    float s = 0.f;
    for (i = 0; i < n; ++i)
        s += (x[i] = std::exp(x[i] - m));
    for (i = 0; i < n; ++i)
        x[i] /= s;
}

// m_1 = fold(int(n) - 1, x[0], acc, p: max(acc, x[p + 1]))
// s_1 = fold(int(n), 0, acc, p: acc + f64(exp(x[p] - m_1)))
// x_1 = update(x, [p] = exp(x[p] - m_1) for p < int(n))
// x_2 = update(x_1, [p] = f32(f64(x_1[p]) / s_1) for p < int(n))
// x := x_2
// requires 0 <= int(n) - 1
// accesses x[0 .. int(n) - 1]
void s4(float *x, size_t n) {
    float *end = x + n;
    float m = *x;
    for (float *p = x + 1; p != end; ++p)
        if (*p > m)
            m = *p;
    double s = 0;
    for (float *p = x; p < end; p++) {
        *p = expf(*p - m);
        s += *p;
    }
    for (float *p = x; p < end; p++)
        *p /= s;
}

// y_1 = update(y, [i] = alpha * fold(int(n), 0, acc, j: acc + a[i * int(lda) + j] * x[j]) + beta * y[i] for i < int(m))
// y := y_1
// accesses a[0 .. int(lda) * int(m) - int(lda) + int(n) - 1]
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(m) - 1]
void g1(int m, int n, float alpha, const float *a, int lda, const float *x, float beta, float *y) {
    for (int i = 0; i < m; i++) {
        float t = 0;
        for (int j = 0; j < n; j++)
            t += a[i * lda + j] * x[j];
        y[i] = alpha * t + beta * y[i];
    }
}

// y_1 = update(y, [i] = fold(int(n), y[i], acc_1, j: acc_1 + x[j] * a[j * int(lda) + i]) for i < int(m))
// y := y_1
// accesses a[0 .. int(lda) * int(n) - int(lda) + int(m) - 1]
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(m) - 1]
void g2(int m, int n, const float *a, int lda, const float *x, float *y) {
    for (int j = 0; j < n; j++) {
        float t = x[j];
        for (int i = 0; i < m; i++)
            y[i] += t * a[i + j * lda];
    }
}

// C_1 = update(C, [i * int(ldc) + j] = fold(int(K), C[i * int(ldc) + j], acc_1, k: acc_1 + ALPHA * A[i * int(lda) + k] * B[k * int(ldb) + j]) for i < int(M), j < int(N))
// C := C_1
// requires int(N) <= int(ldc)
// accesses A[0 .. int(M) * int(lda) + int(K) - int(lda) - 1]
// accesses B[0 .. int(K) * int(ldb) + int(N) - int(ldb) - 1]
// accesses C[0 .. int(M) * int(ldc) + int(N) - int(ldc) - 1]
void g3(int M, int N, int K, float ALPHA, float *A, int lda, float *B, int ldb, float *C, int ldc) {
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (k = 0; k < K; ++k) {
            float A_PART = ALPHA * A[i * lda + k];
            for (j = 0; j < N; ++j) {
                C[i * ldc + j] += A_PART * B[k * ldb + j];
            }
        }
    }
}

// C_1 = update(C, [i * int(ldc) + j] = C[i * int(ldc) + j] + fold(int(K), 0, acc, k: acc + ALPHA * A[i * int(lda) + k] * B[j * int(ldb) + k]) for i < int(M), j < int(N))
// C := C_1
// requires int(N) <= int(ldc)
// accesses A[0 .. int(M) * int(lda) + int(K) - int(lda) - 1]
// accesses B[0 .. int(N) * int(ldb) + int(K) - int(ldb) - 1]
// accesses C[0 .. int(M) * int(ldc) + int(N) - int(ldc) - 1]
void g4(int M, int N, int K, float ALPHA, float *A, int lda, float *B, int ldb, float *C, int ldc) {
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (j = 0; j < N; ++j) {
            float sum = 0;
            for (k = 0; k < K; ++k) {
                sum += ALPHA * A[i * lda + k] * B[j * ldb + k];
            }
            C[i * ldc + j] += sum;
        }
    }
}

// C_1 = update(C, [i * int(ldc) + j] = C[i * int(ldc) + j] * BETA for i < int(M), j < int(N))
// C_2 = update(C_1, [i * int(ldc) + j] = fold(int(K), C_1[i * int(ldc) + j], acc_1, k: acc_1 + A[int(K) * i + k] * B[int(N) * k + j]) for i < int(M), j < int(N))
// C := C_2
// requires int(N) <= int(ldc)
// accesses A[0 .. int(K) * int(M) - 1]
// accesses B[0 .. int(K) * int(N) - 1]
// accesses C[0 .. int(M) * int(ldc) + int(N) - int(ldc) - 1]
void g5(int TA, int M, int N, int K, float BETA, float *A, float *B, float *C, int ldc) {
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            C[i * ldc + j] *= BETA;
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k) {
            float a = A[i * K + k];
            for (int j = 0; j < N; ++j)
                C[i * ldc + j] += a * B[k * N + j];
        }
}

// ss_1 = fold(int(n), 0, acc, i: acc + f64(x[i]) * f64(x[i]))
// r_1 = f32(1 / sqrt(ss_1 / f64(n) + f64(eps)))
// o_1 = update(o, [i] = x[i] * r_1 * w[i] for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
// accesses w[0 .. int(n) - 1]
void r1(float *o, const float *x, const float *w, int n, float eps) {
    double ss = 0;
    for (int i = 0; i < n; i++)
        ss += (double) x[i] * x[i];
    float r = 1.0f / sqrt(ss / n + eps);
    for (int i = 0; i < n; i++)
        o[i] = x[i] * r * w[i];
}

// ss_1 = fold(int(n), 0, acc, i: acc + x[i] * x[i])
// ss_2 = 1 / sqrt(ss_1 / f32(n) + 1e-05)
// x_1 = update(x, [i] = w[i] * (ss_2 * x[i]) for i < int(n))
// x := x_1
// requires 0 <= int(n)
// accesses x[0 .. int(n) - 1]
// accesses w[0 .. int(n) - 1]
void r2(float *x, const float *w, int n) {
    float ss = 0;
    int i = n;
    const float *p = x;
    while (i--) {
        ss += *p**p;
        p++;
    }
    ss = 1.f / sqrtf(ss / n + 1e-5f);
    for (i = 0; i < n; i++)
        x[i] = w[i] * (ss * x[i]);
}

// att_1 = update(att, [t] = fold(int(hs), 0, acc, i: acc + q[int(h) * int(hs) + i] * kc[int(hs) * tdiv(int(h), int(kvmul)) + int(kvdim) * t + i + int(loff)]) / sqrt(f32(hs)) for t < int(pos) + 1)
// att := att_1
// accesses att[0 .. int(pos) + 1 - 1]
// accesses q[0 .. int(h) * int(hs) + int(hs) - 1]
// accesses kc[0 .. int(hs) * tdiv(int(h), int(kvmul)) + int(kvdim) * int(pos) + int(hs) + int(loff) - 1]
void att(float *att, const float *q, const float *kc, int pos, int hs, int kvdim, int h, int kvmul, int loff) {
    const float *qq = q + h * hs;
    float *a = att;
    for (int t = 0; t <= pos; t++) {
        const float *k = kc + loff + t * kvdim + (h / kvmul) *hs;
        float score = 0.0f;
        for (int i = 0; i < hs; i++)
            score += qq[i] * k[i];
        score /= sqrtf(hs);
        a[t] = score;
    }
}

// o_1 = update(o, [i] = fold(int(n), 0, acc, j: acc + w[i * int(n) + j] * x[j]) for i < int(d))
// o := o_1
// accesses o[0 .. int(d) - 1]
// accesses w[0 .. int(d) * int(n) - 1]
// accesses x[0 .. int(n) - 1]
void matvec2(float *o, const float *w, const float *x, int n, int d) {
    int i;
    for (i = 0; i < d; i++) {
        o[i] = 0.f;
    }
    for (i = 0; i < d; i++)
        for (int j = 0; j < n; j++)
            o[i] = o[i] + w[i * n + j] * x[j];
}

// x_1 = update(x, [k] = x[k] * 2 for k < int(n))
// x := x_1
// requires 1 <= int(n)
// accesses x[0 .. int(n) - 1]
void dow(float *x, int n) {
    do {
        *x++ *= 2;
    } while (--n);
}

// x_1 = update(x, [k] = x[k] * 2 for k < max(1, int(n)) where n != 0)
// x := x_1
// accesses x[0 .. max(1, int(n)) - 1]
void dow2(float *x, int n) {
    if (n == 0)
        return;
    do {
        *x++ *= 2;
    } while (--n > 0);
}

// o_1 = update(o, [int(cols) * i + j] = a[int(cols) * i + j] * b[j] for i < max(1, int(rows)), j < int(cols))
// o := o_1
// requires 1 <= int(cols)
// accesses o[0 .. int(cols) * max(1, int(rows)) - 1]
// accesses a[0 .. int(cols) * max(1, int(rows)) - 1]
// accesses b[0 .. int(cols) - 1]
void dow3(float *o, const float *a, const float *b, int rows, int cols) {
    int i = 0;
    do {
        int j = 0;
        do {
            o[i * cols + j] = a[i * cols + j] * b[j];
        } while (++j < cols);
    } while (++i < rows);
}

// t_1 = fold(int(n), 0, acc, i: acc + x[i * int(incx)] * y[i * int(incy)])
// return f32(t_1)
// accesses x[0 .. int(incx) * int(n) - int(incx) + 1 - 1]
// accesses y[0 .. int(incy) * int(n) - int(incy) + 1 - 1]
float dotd(const double *x, const double *y, int n, int incx, int incy) {
    double t = 0;
    int ix = 0, iy = 0;
    for (int i = 0; i < n; i++) {
        t += x[ix] * y[iy];
        ix += incx;
        iy += incy;
    }
    return t;
}

// y_1 = update(y, [i] = y[i] + a * x[i] for i < int(n) where a != 0)
// y := y_1
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(n) - 1]
void axpy(int n, float a, const float *x, float *y) {
    if (n <= 0)
        return;
    if (a == 0.0f)
        return;
    for (int i = 0; i < n; i++)
        y[i] = y[i] + a * x[i];
}

// return 0.0:f32 if n < 1 or incx < 1 else fold(int(n), 0, acc, i: acc + abs(x[i * int(incx)]))
// accesses x[0 .. int(incx) * int(n) - int(incx) + 1 - 1]
float asum(int n, const float *x, int incx) {
    float s = 0;
    if (n < 1 || incx < 1)
        return s;
    int ni = n * incx;
    for (int i = 0; i < ni; i += incx)
        s += fabsf(x[i]);
    return s;
}

// s_1 = fold(int(n), 0, acc, i: acc + x[i])
// return s_1
// accesses x[0 .. int(n) - 1]
int64_t isum(const int64_t *x, int64_t n) {
    int64_t s = 0;
    for (int64_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

// s_1 = fold(int(n), 0, acc, i: u32(int(acc) + int(x[i])))
// return s_1
// accesses x[0 .. int(n) - 1]
uint32_t usum(const uint32_t *x, int n) {
    uint32_t s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

// s_1 = fold(int(n), 0, acc, i: acc + i32(x[i]))
// return s_1
// accesses x[0 .. int(n) - 1]
int u8sum(const uint8_t *x, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

// r_1 = fold(int(n), True, acc, i: acc and x[i] == y[i])
// return r_1
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(n) - 1]
bool alleq(const int *x, const int *y, int n) {
    bool r = true;
    for (int i = 0; i < n; i++)
        r = r && x[i] == y[i];
    return r;
}

// r_1 = fold(int(n), False, acc, i: 0 < x[i] or acc)
// return r_1
// accesses x[0 .. int(n) - 1]
bool anyp(const int *x, int n) {
    bool r = false;
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            r = true;
    return r;
}

// lo_1 = update(lo, [0] = fold(int(n) - 1, x[0], acc, i: min(acc, x[i + 1])))
// hi_1 = update(hi, [0] = fold(int(n) - 1, x[0], acc, i: max(acc, x[i + 1])))
// lo := lo_1
// hi := hi_1
// accesses x[0 .. max(1, int(n)) - 1]
// accesses lo[0 .. 1 - 1]
// accesses hi[0 .. 1 - 1]
void minmax(const float *x, int n, float *lo, float *hi) {
    *lo = x[0];
    *hi = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i] < *lo)
            *lo = x[i];
        if (x[i] > *hi)
            *hi = x[i];
    }
}

// lo_1 = fold(int(n) - 1, x[0], acc, i: min(acc, x[i + 1]))
// hi_1 = fold(int(n) - 1, x[0], acc, i: max(acc, x[i + 1]))
// return hi_1 - lo_1
// accesses x[0 .. max(1, int(n)) - 1]
float minmax2(const float *x, int n) {
    float lo = x[0], hi = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i] < lo)
            lo = x[i];
        else if (x[i] > hi)
            hi = x[i];
    }
    return hi - lo;
}

// o_1 = update(o, [i] = u8(tdiv(i32(rgb[3 * i]) * 30 + i32(rgb[3 * i + 1]) * 59 + i32(rgb[3 * i + 2]) * 11, 100)) for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses rgb[0 .. 3 * int(n) - 1]
void gray(uint8_t *o, const uint8_t *rgb, int n) {
    for (int i = 0; i < n; i++)
        o[i] = (rgb[3 * i] * 30 + rgb[3 * i + 1] * 59 + rgb[3 * i + 2] * 11) / 100;
}

// o_1 = update(o, [3 * int(w) * y + c + 3 * i] = x[3 * int(w) * y - c + 3 * i + 2] for y < int(h), i < int(w), c < 3)
// o := o_1
// accesses o[0 .. 3 * int(h) * int(w) - 1]
// accesses x[0 .. 3 * int(h) * int(w) - 1]
void bgr(uint8_t *o, const uint8_t *x, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int i = 0; i < w; i++)
            for (int c = 0; c < 3; c++)
                o[(y * w + i) *3 + c] = x[(y * w + i) *3 + 2 - c];
}

// o_1 = update(o, [i * int(w) + j + int(w) + 1] = x[i * int(w) + j + 1] - x[i * int(w) + j + 2 * int(w) + 1] for i < int(h) - 2, j < int(w) - 2)
// o := o_1
// accesses o[0 .. int(h) * int(w) - int(w) - 1 - 1]
// accesses x[0 .. int(h) * int(w) - 1 - 1]
void sobel(float *o, const float *x, int h, int w) {
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++)
            o[i * w + j] = x[(i - 1) *w + j] - x[(i + 1) *w + j];
}

// o_1 = update(o, [i * tdiv(int(w), 2) + j] = fold(2, x[2 * i * int(w) + 2 * j], acc_1, a: fold(2, acc_1, acc, b: max(acc, x[a * int(w) + 2 * i * int(w) + b + 2 * j]))) for i < int(h) // 2, j < int(w) // 2)
// o := o_1
// accesses o[0 .. int(h) // 2 * (int(w) // 2) - 1]
// accesses x[0 .. int(h) * int(w) - int(w) * (int(h) % 2) - int(w) % 2 - 1]
void maxpool(float *o, const float *x, int h, int w) {
    for (int i = 0; i < h / 2; i++)
        for (int j = 0; j < w / 2; j++) {
            float m = x[2 * i * w + 2 * j];
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    float v = x[(2 * i + a) *w + 2 * j + b];
                    if (v > m)
                        m = v;
                }
            o[i * (w / 2) + j] = m;
        }
}

// o_1 = update(o, [i] = fold(int(c), 0, acc, j: acc + x[int(c) * i + j]) / f32(c) for i < int(r))
// o := o_1
// accesses o[0 .. int(r) - 1]
// accesses x[0 .. int(c) * int(r) - 1]
void rowsum(float *o, const float *x, int r, int c) {
    for (int i = 0; i < r; i++) {
        o[i] = 0;
        for (int j = 0; j < c; j++)
            o[i] += x[i * c + j];
        o[i] /= c;
    }
}

// x_1 = update(x, [b * int(filters) * int(spatial) + f * int(spatial) + i] = (x[b * int(filters) * int(spatial) + f * int(spatial) + i] - mean[f]) / (sqrt(var[f]) + 1e-06) for b < int(batch), f < int(filters), i < int(spatial))
// x := x_1
// accesses x[0 .. int(batch) * int(filters) * int(spatial) - 1]
// accesses mean[0 .. int(filters) - 1]
// accesses var[0 .. int(filters) - 1]
void bn(float *x, const float *mean, const float *var, int batch, int filters, int spatial) {
    for (int b = 0; b < batch; ++b)
        for (int f = 0; f < filters; ++f)
            for (int i = 0; i < spatial; ++i) {
                int index = b * filters * spatial + f * spatial + i;
                x[index] = (x[index] - mean[f]) / (sqrtf(var[f])+.000001f);
            }
}

// scale_1 = f32(1 / f64(batch * spatial))
// mean_1 = update(mean, [i] = fold(int(batch), 0, acc_1, j: fold(int(spatial), acc_1, acc, k: acc + x[int(filters) * j * int(spatial) + i * int(spatial) + k])) * scale_1 for i < int(filters))
// mean := mean_1
// accesses x[0 .. int(batch) * int(filters) * int(spatial) - 1]
// accesses mean[0 .. int(filters) - 1]
void meancpu(const float *x, int batch, int filters, int spatial, float *mean) {
    float scale = 1./(batch * spatial);
    for (int i = 0; i < filters; ++i) {
        mean[i] = 0;
        for (int j = 0; j < batch; ++j)
            for (int k = 0; k < spatial; ++k) {
                int index = j * filters * spatial + i * spatial + k;
                mean[i] += x[index];
            }
        mean[i] *= scale;
    }
}

// s_1 = fold(int(n), 0, acc, i: acc + pow(x[i], 2))
// s_2 = sqrt(s_1)
// x_1 = update(x, [i] = x[i] / s_2 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void l2n(float *x, int n) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += powf(x[i], 2);
    s = sqrtf(s);
    for (int i = 0; i < n; i++)
        x[i] = x[i] / s;
}

// c_1 = update(c, [i] = c[i] + x[i] * e for i < int(n) - 1)
// c := c_1
// accesses c[0 .. int(n) - 1 - 1]
// accesses x[0 .. int(n) - 1 - 1]
void lms(float *c, const float *x, float e, int n) {
    for (int i = 0; i < n - 1; i++)
        c[i] += x[i] * e;
}

// o_1 = update(o, [i] = x[-i + int(n) - 1] for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void copyrev(float *o, const float *x, int n) {
    for (int i = n; i > 0; i--)
        o[i - 1] = x[n - i];
}

// a_1 = base + base2 + a1 * a2
// return a_1 + a_1
float tut(float base, float a1, float base2, float a2) {
    float a = (base + base2) + a1 * a2;
    return a + a;
}

// r_1 = update(r, [i] = d[i] + d[i + 1] for i < int(n) - 1)
// r := r_1
// accesses r[0 .. int(n) - 1 - 1]
// accesses d[0 .. int(n) - 1]
void sliding(float *r, const float *d, int n) {
    for (int i = 0; i < n - 1; i++)
        r[i] = d[i] + d[i + 1];
}

// o_1 = update(o, [i] = min(max(x[i], -1), 1) for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void tern(float *o, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        float y;
        if (x[i] > 1)
            y = 1;
        else if (x[i]<-1)
            y = -1;
        else
            y = x[i];
        o[i] = y;
    }
}

// not derived: whether the loop goes on is decided by data, or by a number that does not change in equal steps; counted loops, or a bound beside it, are supported
int gcd(int a, int b) {
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}

// not derived: whether the loop goes on is decided by data, or by a number that does not change in equal steps; counted loops, or a bound beside it, are supported
int bsearch_(const int *x, int n, int v) {
    int lo = 0, hi = n;
    while (lo < hi) {
        int m = (lo + hi) / 2;
        if (x[m] < v)
            lo = m + 1;
        else
            hi = m;
    }
    return lo;
}

// x_1 = update(x, [i] = x[i] / (1 + exp(-x[i])) for i < len(x))
// x := x_1
// accesses x[0 .. len(x) - 1]
void swish(std::vector<float> &x) {
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = x[i] / (1.0f + std::exp(-x[i]));
}

// return [min(b[k.1], a[k.1]) for k.1 < len(a)]
// accesses a[0 .. len(a) - 1]
// accesses b[0 .. len(a) - 1]
std::vector<uint8_t> vdark(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b) {
    std::vector<uint8_t> o;
    for (size_t i = 0; i < a.size(); i++) {
        if (a[i] > b[i])
            o.push_back(b[i]);
        else
            o.push_back(a[i]);
    }
    return o;
}

