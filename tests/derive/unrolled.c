#include <math.h>
#include <stdint.h>
#include <stddef.h>
// s_1 = fold(int(n), 0, acc, i: acc + a[i] * b[i])
// return s_1
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dot4(const float *a, const float *b, int n) {
    float s = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        s += a[i] * b[i];
        s += a[i + 1] * b[i + 1];
        s += a[i + 2] * b[i + 2];
        s += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s += a[i] * b[i];
    return s;
}

// s_1 = fold(int(n), 0, acc, i: acc + a[i] * b[i])
// return s_1
// requires 0 <= int(n)
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dot4b(const float *a, const float *b, int n) {
    float s = 0;
    int i = 0;
    int m = n - n % 4;
    for (i = 0; i < m; i += 4) {
        s += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3];
    }
    for (i = m; i < n; i++)
        s += a[i] * b[i];
    return s;
}

// s_1 = fold(int(n), 0, acc, i: acc + a[i] * b[i])
// return s_1
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dot4c(const float *a, const float *b, int n) {
    float s = 0;
    int i = 0;
    int m = n / 4 * 4;
    for (i = 0; i < m; i += 4) {
        s += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s += a[i] * b[i];
    return s;
}

// s_1 = fold(int(n), 0, acc, k: acc + a[k] * b[k])
// return s_1
// requires 0 <= int(n) // 4
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dot4d(const float *a, const float *b, int n) {
    float s = 0;
    int k = n>>2;
    while (k--) {
        s += *a++ * *b++;
        s += *a++ * *b++;
        s += *a++ * *b++;
        s += *a++ * *b++;
    }
    k = n&3;
    while (k--)
        s += *a++ * *b++;
    return s;
}

// s_1 = fold(int(n), 0, acc, k: acc + a[k] * b[k])
// return s_1
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dot4e(const float *a, const float *b, unsigned n) {
    float s = 0;
    unsigned k = n>>2;
    while (k > 0) {
        s += *a++ * *b++;
        s += *a++ * *b++;
        s += *a++ * *b++;
        s += *a++ * *b++;
        k--;
    }
    k = n % 4;
    while (k > 0) {
        s += *a++ * *b++;
        k--;
    }
    return s;
}

// o_1 = update(o, [i] = a[i] + b[i] for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
void add4(float *o, const float *a, const float *b, int n) {
    int i = 0;
    for (; i + 3 < n; i += 4) {
        o[i] = a[i] + b[i];
        o[i + 1] = a[i + 1] + b[i + 1];
        o[i + 2] = a[i + 2] + b[i + 2];
        o[i + 3] = a[i + 3] + b[i + 3];
    }
    for (; i < n; i++)
        o[i] = a[i] + b[i];
}

// o_1 = update(o, [i] = o[i] * b for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
void scale4(float *o, float b, int n) {
    int i = 0;
    for (; i + 3 < n; i += 4) {
        o[i] *= b;
        o[i + 1] *= b;
        o[i + 2] *= b;
        o[i + 3] *= b;
    }
    for (; i < n; i++)
        o[i] *= b;
}

// d_1 = update(d, [k] = a[k] + b[k] for k < int(n))
// d := d_1
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
// accesses d[0 .. int(n) - 1]
void dsp_add(const float *a, const float *b, float *d, uint32_t n) {
    uint32_t k = n>>2;
    while (k > 0) {
        *d++  = *a++ + *b++;
        *d++  = *a++ + *b++;
        *d++  = *a++ + *b++;
        *d++  = *a++ + *b++;
        k--;
    }
    k = n % 4;
    while (k > 0) {
        *d++  = *a++ + *b++;
        k--;
    }
}

// s0_1 = fold((int(n) + 3) // 4, 0, acc, i: acc + a[4 * i])
// s1_1 = fold((int(n) + 3) // 4, 0, acc, i: acc + a[4 * i + 1])
// s2_1 = fold((int(n) + 3) // 4, 0, acc, i: acc + a[4 * i + 2])
// s3_1 = fold((int(n) + 3) // 4, 0, acc, i: acc + a[4 * i + 3])
// return s0_1 + s1_1 + s2_1 + s3_1
// accesses a[0 .. 4 * ((int(n) + 3) // 4) - 1]
float four(const float *a, int n) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < n; i += 4) {
        s0 += a[i];
        s1 += a[i + 1];
        s2 += a[i + 2];
        s3 += a[i + 3];
    }
    return s0 + s1 + s2 + s3;
}

// s_1 = fold(int(n), 0, acc, i: acc + x[i])
// q_1 = fold(int(n), 0, acc, i: acc + x[i] * x[i])
// m_1 = s_1 / f32(n)
// var_1 = update(var, [0] = q_1 / f32(n) - m_1 * m_1)
// var := var_1
// return m_1
// accesses x[0 .. int(n) - 1]
// accesses var[0 .. 1 - 1]
float meanvar(const float *x, int n, float *var) {
    float s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    float m = s / n;
    *var = q / n - m * m;
    return m;
}

// s_1 = fold(int(n) - int(n) % 2, 0, acc, i: acc + x[i])
// return s_1 if trem(n, 2) == 0 else s_1 + x[int(n) - 1]
// accesses x[0 .. int(n) - 1]
float sumrow(const float *x, int n) {
    float s = 0;
    for (int i = 0; i < n / 2 * 2; i += 2) {
        s += x[i];
        s += x[i + 1];
    }
    if (n % 2)
        s += x[n - 1];
    return s;
}

// C_1 = update(C, [int(N) * i + j] = A[int(N) * i + j] + B[int(N) * i + j] for i < 4 * ((int(N) + 3) // 4), j < 4 * ((int(N) + 3) // 4))
// C := C_1
// requires 4 * ((int(N) + 3) // 4) <= int(N)
// accesses C[0 .. 4 * int(N) * ((int(N) + 3) // 4) - int(N) + 4 * ((int(N) + 3) // 4) - 1]
// accesses A[0 .. 4 * int(N) * ((int(N) + 3) // 4) - int(N) + 4 * ((int(N) + 3) // 4) - 1]
// accesses B[0 .. 4 * int(N) * ((int(N) + 3) // 4) - int(N) + 4 * ((int(N) + 3) // 4) - 1]
void tiled(float *C, const float *A, const float *B, int N) {
    for (int ii = 0; ii < N; ii += 4)
        for (int jj = 0; jj < N; jj += 4)
            for (int i = ii; i < ii + 4; i++)
                for (int j = jj; j < jj + 4; j++)
                    C[i * N + j] = A[i * N + j] + B[i * N + j];
}

// x_1 = update(x, [i] = 1 for i < int(n))
// x := x_1
// requires 0 <= int(n)
// accesses x[0 .. int(n) - 1]
void two(float *x, int n) {
    for (int i = 0; i < n / 2; i++)
        x[i] = 1;
    for (int i = n / 2; i < n; i++)
        x[i] = 1;
}

// s_1 = fold(int(n), 0, acc, i: acc + (a[i] - b[i]) * (a[i] - b[i]))
// return sqrt(s_1)
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dist(const float *a, const float *b, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) {
        float d = a[i] - b[i];
        s += d * d;
    }
    return sqrtf(s);
}

// x_1 = update(x, [i] = x[i] if 0 < x[i] else a * x[i] for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void lrelu(float *x, int n, float a) {
    for (int i = 0; i < n; i++)
        x[i] = x[i] > 0 ? x[i] : a * x[i];
}

// o_1 = update(o, [bb * int(n) * int(size) + i * int(size) + j] = o[bb * int(n) * int(size) + i * int(size) + j] + b[i] for bb < int(batch), i < int(n), j < int(size))
// o := o_1
// accesses o[0 .. int(batch) * int(n) * int(size) - 1]
// accesses b[0 .. int(n) - 1]
void addbias(float *o, const float *b, int batch, int n, int size) {
    for (int bb = 0; bb < batch; ++bb)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < size; ++j)
                o[(bb * n + i) *size + j] += b[i];
}

// o_1 = update(o, [int(h) * k * int(w) + j * int(w) + i] = x[int(c) * j * int(w) + int(c) * i + k] / 255 for k < int(c), j < int(h), i < int(w))
// o := o_1
// accesses o[0 .. int(c) * int(h) * int(w) - 1]
// accesses x[0 .. int(c) * int(h) * int(w) - 1]
void im(float *o, const float *x, int h, int w, int c) {
    int i, j, k;
    for (k = 0; k < c; ++k) {
        for (j = 0; j < h; ++j) {
            for (i = 0; i < w; ++i) {
                int d = i + w * j + w * h * k;
                int s = k + c * i + c * w * j;
                o[d] = x[s] / 255.f;
            }
        }
    }
}

// s_1 = fold(int(n), 0, acc, i: acc + a[i])
// return s_1 / f64(n)
// accesses a[0 .. int(n) - 1]
double mean(const double *a, int n) {
    double s = 0;
    int i;
    for (i = 0; i < n; i++)
        s = s + a[i];
    return s / n;
}

// o_1 = update(o, [i * int(n) + j] = a[i] * b[j] for i < int(m), j < int(n))
// o := o_1
// accesses o[0 .. int(m) * int(n) - 1]
// accesses a[0 .. int(m) - 1]
// accesses b[0 .. int(n) - 1]
void outer(float *o, const float *a, const float *b, int m, int n) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            o[i * n + j] = a[i] * b[j];
}

// o_1 = update(o, [i * int(n) + j] = a[i * int(n) + j] + b[i * int(n) + j] for i < int(m), j < int(n))
// o := o_1
// accesses o[0 .. int(m) * int(n) - 1]
// accesses a[0 .. int(m) * int(n) - 1]
// accesses b[0 .. int(m) * int(n) - 1]
void matadd1(float *o, const float *a, const float *b, int m, int n) {
    float *p = o;
    const float *q = a, *r = b;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            *p++ =*q++ + *r++;
}

// o_1 = update(o, [i] = fold(int(n), 0, acc, j: acc + w[i * int(n) + j] * x[j]) for i < int(d))
// o := o_1
// accesses o[0 .. int(d) - 1]
// accesses w[0 .. int(d) * int(n) - 1]
// accesses x[0 .. int(n) - 1]
void mm_ptr(float *o, const float *w, const float *x, int n, int d) {
    for (int i = 0; i < d; i++) {
        const float *row = w + i * n;
        float s = 0;
        for (int j = 0; j < n; j++)
            s += row[j] * x[j];
        *o++ =s;
    }
}

// o_1 = update(o, [i] = fold(int(n), 0, acc, j: acc + w[i * int(n) + j] * x[j]) for i < int(d))
// o := o_1
// accesses o[0 .. int(d) - 1]
// accesses w[0 .. int(d) * int(n) - 1]
// accesses x[0 .. int(n) - 1]
void mm_ptr2(float *o, const float *w, const float *x, int n, int d) {
    for (int i = 0; i < d; i++) {
        float s = 0;
        for (int j = 0; j < n; j++)
            s += *w++*x[j];
        o[i] = s;
    }
}

// r_1 = fold(int(n), 0, acc, i: 1 if x[i] < 0 else acc)
// return r_1
// accesses x[0 .. int(n) - 1]
int anyneg(const int *x, int n) {
    int r = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0)
            r = 1;
    }
    return r;
}

// m_1 = fold(int(n), 0, acc, i: max(acc, abs(x[i])))
// return m_1
// accesses x[0 .. int(n) - 1]
int maxabs(const int *x, int n) {
    int m = 0;
    for (int i = 0; i < n; i++) {
        int a = x[i] < 0 ? -x[i] : x[i];
        if (a > m)
            m = a;
    }
    return m;
}

// o_1 = update(o, [k] = fold(int(n), 0, acc, i: acc + x[i] * c[k * int(n) + i]) for k < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
// accesses c[0 .. int(n) * int(n) - 1]
void dct(float *o, const float *x, const float *c, int n) {
    for (int k = 0; k < n; k++) {
        o[k] = 0;
        for (int i = 0; i < n; i++)
            o[k] += x[i] * c[k * n + i];
    }
}

// y_1 = update(y, [i] = fold(int(t), 0, acc, k: acc + h[k] * x[i - k + int(t) - 1]) for i < int(n))
// y := y_1
// accesses y[0 .. int(n) - 1]
// accesses x[0 .. int(n) + int(t) - 1 - 1]
// accesses h[0 .. int(t) - 1]
void fir(float *y, const float *x, const float *h, int n, int t) {
    for (int i = 0; i < n; i++) {
        float a = 0;
        for (int k = 0; k < t; k++)
            a += h[k] * x[i + t - 1 - k];
        y[i] = a;
    }
}

// m_1 = fold(int(n), -2147483647, acc, i: max(acc, x[i]))
// return m_1
// accesses x[0 .. int(n) - 1]
int findmax(const int *x, int n) {
    int m = -2147483647;
    int i = 0;
    while (i < n) {
        if (x[i] >= m)
            m = x[i];
        i++;
    }
    return m;
}

// s_1 = fold(int(n), 0, acc, i: acc + max(x[i], 0))
// return s_1
// accesses x[0 .. int(n) - 1]
float cond2(const float *x, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0)
            continue;
        s += x[i];
    }
    return s;
}

// x_1 = update(x, [i] = 0 if i % 2 == 0 else 1 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void odd(float *x, int n) {
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0)
            x[i] = 0;
        else
            x[i] = 1;
    }
}

// p_1 = fold(int(n), 1, acc, i: acc * a)
// return p_1
float powsum(float a, int n) {
    float p = 1;
    for (int i = 0; i < n; i++)
        p *= a;
    return p;
}

// r_1 = fold(int(n), 1, acc, i: acc * i32(i + 1))
// return r_1
int fact(int n) {
    int r = 1;
    for (int i = 1; i <= n; i++)
        r *= i;
    return r;
}

// r_1 = fold(int(n), 0, acc, i: acc + i32(i + 1) * i32(i + 1))
// return r_1
int sqs(int n) {
    int r = 0;
    for (int i = 1; i <= n; i++)
        r += i * i;
    return r;
}

// a_1 = fold(int(n), (1:i32, 0:i32), acc, i: (acc[1] + acc[0], acc[0]))[1]
// return a_1
int fib(int n) {
    int a = 0, b = 1;
    for (int i = 0; i < n; i++) {
        int t = a + b;
        a = b;
        b = t;
    }
    return a;
}

// q_1 = update(q, [g * int(gs) + i] = i8(round(x[g * int(gs) + i] / (fold(int(gs), 0, acc, i: max(acc, abs(x[g * int(gs) + i]))) / 127))) for g < tdiv(int(n), int(gs)), i < int(gs))
// s_1 = update(s, [g] = fold(int(gs), 0, acc, i: max(acc, abs(x[g * int(gs) + i]))) / 127 for g < tdiv(int(n), int(gs)))
// q := q_1
// s := s_1
// accesses q[0 .. int(gs) * tdiv(int(n), int(gs)) - 1]
// accesses s[0 .. tdiv(int(n), int(gs)) - 1]
// accesses x[0 .. int(gs) * tdiv(int(n), int(gs)) - 1]
void quant(int8_t *q, float *s, const float *x, int n, int gs) {
    int ng = n / gs;
    for (int g = 0; g < ng; g++) {
        float m = 0;
        for (int i = 0; i < gs; i++) {
            float v = fabsf(x[g * gs + i]);
            if (v > m)
                m = v;
        }
        float sc = m / 127.0f;
        s[g] = sc;
        for (int i = 0; i < gs; i++) {
            q[g * gs + i] = (int8_t)roundf(x[g * gs + i] / sc);
        }
    }
}

// xout_1 = update(xout, [i] = fold(int(n) // int(GS), 0, acc_1, j: acc_1 + f32(fold(int(GS), 0:i32, acc, k: acc + i32(xq[int(GS) * j + k]) * i32(wq[int(GS) * j + i * int(n) + k]))) * ws[tdiv(int(GS) * j + i * int(n), int(GS))] * xs[j]) for i < int(d))
// xout := xout_1
// requires 1 <= int(GS)
// requires forall(i, j: not (0 <= i and i < int(d) and 0 <= j and j < int(n) // int(GS) and int(GS) * j <= -int(GS) + int(n)) or 0 <= tdiv(int(GS) * j + i * int(n), int(GS)) and tdiv(int(GS) * j + i * int(n), int(GS)) < len(ws))
// accesses xout[0 .. int(d) - 1]
// accesses xq[0 .. int(GS) * (int(n) // int(GS)) - 1]
// accesses xs[0 .. int(n) // int(GS) - 1]
// accesses wq[0 .. int(GS) * (int(n) // int(GS)) + int(d) * int(n) - int(n) - 1]
void qmm(float *xout, const int8_t *xq, const float *xs, const int8_t *wq, const float *ws, int n, int d, int GS) {
    for (int i = 0; i < d; i++) {
        float val = 0.0f;
        int in = i * n;
        for (int j = 0; j <= n - GS; j += GS) {
            int iv = 0;
            for (int k = 0; k < GS; k++)
                iv += ((int)xq[j + k]) *((int)wq[in + j + k]);
            val += ((float)iv) *ws[(in + j) / GS] * xs[j / GS];
        }
        xout[i] = val;
    }
}


// s_1 = fold(int(n), 0, acc, i: acc + x[i])
// return s_1
// accesses x[0 .. int(n) - 1]
float tiled_sum(const float *x, int n) {
    float s = 0;
    for (int ii = 0; ii < n; ii += 16)
        for (int i = ii; i < (n < ii + 16 ? n : ii + 16); i++)
            s += x[i];
    return s;
}

// x_1 = update(x, [i] = x[i] * a for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void masked(float *x, float a, int n) {
    int i;
    for (i = 0; i < (n & ~3); i += 4) {
        x[i] *= a;
        x[i + 1] *= a;
        x[i + 2] *= a;
        x[i + 3] *= a;
    }
    for (; i < n; i++)
        x[i] *= a;
}

// y_1 = update(y, [i] = y[i] + a * x[i] for i < int(n))
// y := y_1
// requires 0 <= int(n)
// accesses y[0 .. max(int(n) % 2, int(n)) - 1]
// accesses x[0 .. max(int(n) % 2, int(n)) - 1]
void rest_first(float *y, const float *x, float a, int n) {
    int m = n % 2;
    for (int i = 0; i < m; i++)
        y[i] += a * x[i];
    for (int i = m; i < n; i += 2) {
        y[i] += a * x[i];
        y[i + 1] += a * x[i + 1];
    }
}

// o_1 = update(o, [k] = i8(i32(int(a[k]) << int(s))) for k < int(n))
// o := o_1
// accesses a[0 .. int(n) - 1]
// accesses o[0 .. int(n) - 1]
void shifted_in_twos(const signed char *a, signed char *o, int s, uint32_t n) {
    uint32_t k = n >> 1;
    while (k > 0) {
        int v = *a++ << s;
        *o++ = v;
        v = *a++ << s;
        *o++ = v;
        k--;
    }
    k = n & 1;
    while (k > 0) {
        int v = *a++ << s;
        *o++ = v;
        k--;
    }
}
