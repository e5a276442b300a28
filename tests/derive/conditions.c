#include <math.h>
#include <stdint.h>
#include <stddef.h>
// o_1 = update(o, [i] = x[int(idx[i])] for i < int(n))
// o := o_1
// requires forall(i: not (0 <= i and i < int(n)) or 0 <= int(idx[i]) and int(idx[i]) < len(x))
// accesses o[0 .. int(n) - 1]
// accesses idx[0 .. int(n) - 1]
void gather(float *o, const float *x, const int *idx, int n) {
    for (int i = 0; i < n; i++)
        o[i] = x[idx[i]];
}

// o_1 = update(o, [i] = -x[i] if flag == 0 else x[i] for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void cond1(float *o, const float *x, int n, int flag) {
    if (flag) {
        for (int i = 0; i < n; i++)
            o[i] = x[i];
    } else {
        for (int i = 0; i < n; i++)
            o[i] = -x[i];
    }
}

// return (fold(int(n), 0, acc, i: acc + x[i] * x[i]) if flag == 0 else fold(int(n), 0, acc, i: acc + x[i])) / f32(n)
// accesses x[0 .. int(n) - 1]
float cond2(const float *x, int n, int flag) {
    float s = 0;
    if (flag) {
        for (int i = 0; i < n; i++)
            s += x[i];
    } else {
        for (int i = 0; i < n; i++)
            s += x[i] * x[i];
    }
    return s / n;
}

// x_1 = update(x, [0] = 1)
// x_2 = update(x_1, [i + 1] = 2 for i < int(n) - 1 where flag != 0)
// x_3 = update(x_2, [1] = 3)
// x := x_3
// accesses x[0 .. max(int(n), 2) - 1]
void cond3(float *x, int n, int flag) {
    x[0] = 1;
    if (flag)
        for (int i = 1; i < n; i++)
            x[i] = 2;
    x[1] = 3;
}

// y_1 = update(y, [i] = x[i] * 2 for i < int(n))
// x_1 = update(x, [i] = y_1[i] + 1 for i < int(n) where 0 < flag)
// y_2 = update(y, [i] = x_1[i] for i < int(n))
// x := x_1
// y := y_2
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(n) - 1]
void cond4(float *x, float *y, int n, int flag) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * 2;
    }
    if (flag > 0) {
        for (int i = 0; i < n; i++)
            x[i] = y[i] + 1;
    }
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}

// s_1 = fold(min(int(n), int(m)), 0, acc, i: acc + x[i] * y[i])
// return s_1
// accesses x[0 .. min(int(n), int(m)) - 1]
// accesses y[0 .. min(int(n), int(m)) - 1]
float both(const float *x, const float *y, int n, int m) {
    float s = 0;
    int i = 0, j = 0;
    while (i < n && j < m) {
        s += x[i] * y[j];
        i++;
        j++;
    }
    return s;
}

// p_1 = update(p, [i * int(stride) + j] = u8(255 - i32(p[i * int(stride) + j])) for i < int(rows), j < int(cols))
// p := p_1
// requires int(cols) <= int(stride)
// accesses p[0 .. int(rows) * int(stride) + int(cols) - int(stride) - 1]
void padded(uint8_t *p, int rows, int cols, int stride) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            *p = 255-*p;
            p++;
        }
        p += stride - cols;
    }
}

// o_1 = update(o, [i * int(n) + j] = x[i * int(n) + j] * 2 for i < int(n), j < i + 1)
// o := o_1
// accesses o[0 .. int(n) * int(n) - 1]
// accesses x[0 .. int(n) * int(n) - 1]
void tri(float *o, const float *x, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            o[i * n + j] = x[i * n + j] * 2;
}

// x_1 = update(x, [i * int(m) + j] = 0 for i < int(n), j < int(m) where i % 2 != 0)
// x := x_1
// accesses x[0 .. int(m) * int(n) - 1]
void rowcond(float *x, int n, int m) {
    for (int i = 0; i < n; i++) {
        if (i % 2)
            for (int j = 0; j < m; j++)
                x[i * m + j] = 0;
    }
}

// o_1 = update(o, [i] = fold(int(m), 0, acc, j: acc + max(0, x[i * int(m) + j])) + fold(int(m), 0, acc, j: acc + abs(x[i * int(m) + j] - fold(int(m), 0, acc, j: acc + max(0, x[i * int(m) + j])))) for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(m) * int(n) - 1]
void nestacc(float *o, const float *x, int n, int m) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < m; j++) {
            if (x[i * m + j] > 0)
                s += x[i * m + j];
        }
        float t = 0;
        for (int j = 0; j < m; j++)
            t += fabsf(x[i * m + j] - s);
        o[i] = s + t;
    }
}

// return fold(int(n), 0, acc, i: acc + x[i]) if op == 0 else i32(2 * max(0, int(n))) if op == 1 else -1
// accesses x[0 .. int(n) - 1]
int sw(const int *x, int n, int op) {
    int r = 0;
    switch (op) {
        case 0 : for (int i = 0; i < n; i++) r += x[i];
        break;
        case 1 : for (int i = 0; i < n; i++) r += 2;
        break;
        default : r = -1;
    }
    return r;
}

// x_1 = update(x, [i] = 1 for i < max(1, int(n)))
// x := x_1
// accesses x[0 .. max(1, int(n)) - 1]
void midbreak(float *x, int n) {
    int i = 0;
    for (;;) {
        x[i] = 1;
        if (i >= n - 1)
            break;
        i++;
    }
}

// x_1 = update(x, [i] = x[i + 1] for i < int(n) - 1)
// x := x_1
// accesses x[0 .. int(n) - 1]
void shiftl(float *x, int n) {
    for (int i = 0; i < n - 1; i++)
        x[i] = x[i + 1];
}

// x_1 = update(x, [i + 1] = x[i] for i < int(n) - 1)
// x := x_1
// accesses x[0 .. int(n) - 1]
void shiftr(float *x, int n) {
    for (int i = n - 1; i > 0; i--)
        x[i] = x[i - 1];
}

// x_1 = update(x, [i + 1] = x[0] for i < int(n) - 1)
// x := x_1
// accesses x[0 .. int(n) - 1]
void shiftbad(float *x, int n) {
    for (int i = 1; i < n; i++)
        x[i] = x[i - 1];
}

// x_1 = update(update(x, [int(a) * int(n) + j] = x[int(b) * int(n) + j] for j < int(n)), [int(b) * int(n) + j] = x[int(a) * int(n) + j] for j < int(n))
// x := x_1
// accesses x[0 .. max(int(a) * int(n) + int(n), int(b) * int(n) + int(n)) - 1]
void swaprows(float *x, int a, int b, int n) {
    for (int j = 0; j < n; j++) {
        float t = x[a * n + j];
        x[a * n + j] = x[b * n + j];
        x[b * n + j] = t;
    }
}

// not derived: whether an earlier iteration wrote the element of a that is read is not clear
void sym(float *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
}

// not derived: whether an earlier iteration wrote the element of a that is read is not clear
void transip(float *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            float t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
}

// y_1 = update(y, [i] = fold(i + 1, 0, acc, i_1: al * x[i_1] + (1 - al) * acc) for i < int(n))
// y := y_1
// accesses y[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void emam(float *y, const float *x, float al, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) {
        s = al * x[i] + (1 - al) * s;
        y[i] = s;
    }
}

// f_1 = update(update(f, [0] = 0), [1] = 1)
// f_2 = update(f_1, [i + 2] = fold(i + 1, (1:i32, 0:i32), acc, i_1: (acc[0] + acc[1], acc[0]))[0] for i < int(n) - 2)
// f := f_2
// accesses f[0 .. max(2, int(n)) - 1]
void fibarr(int *f, int n) {
    f[0] = 0;
    f[1] = 1;
    for (int i = 2; i < n; i++)
        f[i] = f[i - 1] + f[i - 2];
}

// re_1 = update(re, [i] = x[2 * i] for i < int(n))
// im_1 = update(im, [i] = x[2 * i + 1] for i < int(n))
// re := re_1
// im := im_1
// accesses re[0 .. int(n) - 1]
// accesses im[0 .. int(n) - 1]
// accesses x[0 .. 2 * int(n) - 1]
void deint(float *re, float *im, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        re[i] = x[2 * i];
        im[i] = x[2 * i + 1];
    }
}

// x_1 = update(update(x, [2 * i] = re[i] for i < int(n)), [2 * i + 1] = im[i] for i < int(n))
// x := x_1
// accesses x[0 .. 2 * int(n) - 1]
// accesses re[0 .. int(n) - 1]
// accesses im[0 .. int(n) - 1]
void inter(float *x, const float *re, const float *im, int n) {
    for (int i = 0; i < n; i++) {
        x[2 * i] = re[i];
        x[2 * i + 1] = im[i];
    }
}

// o_1 = update(update(o, [2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1] for i < int(n)), [2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i] for i < int(n))
// o := o_1
// accesses o[0 .. 2 * int(n) - 1]
// accesses a[0 .. 2 * int(n) - 1]
// accesses b[0 .. 2 * int(n) - 1]
void cmul(float *o, const float *a, const float *b, int n) {
    for (int i = 0; i < n; i++) {
        float ar = *a++, ai = *a++, br = *b++, bi = *b++;
        *o++=ar * br - ai * bi;
        *o++=ar * bi + ai * br;
    }
}

// o_1 = update(o, [2 * i * int(w) + j] = x[int(w) * (i // 2) + j // 2] for i < 2 * int(h), j < 2 * int(w))
// o := o_1
// accesses o[0 .. 4 * int(h) * int(w) - 1]
// accesses x[0 .. int(h) * int(w) - 1]
void upsample(float *o, const float *x, int h, int w) {
    for (int i = 0; i < 2 * h; i++)
        for (int j = 0; j < 2 * w; j++)
            o[i * 2 * w + j] = x[(i / 2) *w + j / 2];
}

// o_1 = update(o, [i] = a[i] for i < int(n))
// o_2 = update(o_1, [i + int(n)] = b[i] for i < int(m))
// o := o_2
// accesses o[0 .. int(m) + int(n) - 1]
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(m) - 1]
void concat(float *o, const float *a, const float *b, int n, int m) {
    for (int i = 0; i < n; i++)
        o[i] = a[i];
    for (int i = 0; i < m; i++)
        o[n + i] = b[i];
}

// o_1 = update(o, [i] = fold(3, 0, acc, k: acc + (x[i + k - 1] if 0 <= i + k - 1 and i + k - 1 < int(n) else 0)) for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void im2(float *o, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        float a = 0;
        for (int k = -1; k <= 1; k++) {
            int j = i + k;
            if (j >= 0 && j < n)
                a += x[j];
        }
        o[i] = a;
    }
}

// mm_1 = fold(int(n), 0, acc, i: acc + (x[i] - acc) / f32(i32(i) + 1))
// ss_1 = fold(int(n), (0.0:f32, 0.0:f32), acc, i: (acc[0] + (x[i] - acc[0]) / f32(i32(i) + 1), acc[1] + (x[i] - acc[0]) * (x[i] - (acc[0] + (x[i] - acc[0]) / f32(i32(i) + 1)))))[1]
// m_1 = update(m, [0] = mm_1)
// s_1 = update(s, [0] = ss_1)
// m := m_1
// s := s_1
// accesses x[0 .. int(n) - 1]
// accesses m[0 .. 1 - 1]
// accesses s[0 .. 1 - 1]
void welford(const float *x, int n, float *m, float *s) {
    float mm = 0, ss = 0;
    for (int i = 0; i < n; i++) {
        float d = x[i] - mm;
        mm += d / (i + 1);
        ss += d * (x[i] - mm);
    }
    *m = mm;
    *s = ss;
}

// s_1 = fold(int(n), (0.0:f32, 0.0:f32), acc, i: (acc[0] + (x[i] - acc[1]), acc[0] + (x[i] - acc[1]) - acc[0] - (x[i] - acc[1])))[0]
// return s_1
// accesses x[0 .. int(n) - 1]
float kahan(const float *x, int n) {
    float s = 0, c = 0;
    for (int i = 0; i < n; i++) {
        float y = x[i] - c;
        float t = s + y;
        c = (t - s) - y;
        s = t;
    }
    return s;
}

// mn_1 = update(mn, [i] = fold(int(c) - 1, x[int(c) * i], acc, j: min(acc, x[int(c) * i + j + 1])) for i < int(r))
// mx_1 = update(mx, [i] = fold(int(c) - 1, x[int(c) * i], acc, j: max(acc, x[int(c) * i + j + 1])) for i < int(r))
// mn := mn_1
// mx := mx_1
// accesses mn[0 .. int(r) - 1]
// accesses mx[0 .. int(r) - 1]
// accesses x[0 .. max(int(c) * int(r) - int(c) + 1, int(c) * int(r)) - 1]
void two_out(float *mn, float *mx, const float *x, int r, int c) {
    for (int i = 0; i < r; i++) {
        float a = x[i * c], b = x[i * c];
        for (int j = 1; j < c; j++) {
            float v = x[i * c + j];
            a = v < a ? v : a;
            b = v > b ? v : b;
        }
        mn[i] = a;
        mx[i] = b;
    }
}

// A_1 = update(A, [j * int(lda) + i] = A[j * int(lda) + i] if y[j] == 0 else A[j * int(lda) + i] + x[i] * (al * y[j]) for j < int(n), i < int(m))
// A := A_1
// requires int(m) <= int(lda)
// accesses A[0 .. int(lda) * int(n) - int(lda) + int(m) - 1]
// accesses x[0 .. int(m) - 1]
// accesses y[0 .. int(n) - 1]
void rank1(float *A, const float *x, const float *y, float al, int m, int n, int lda) {
    for (int j = 0; j < n; j++) {
        if (y[j] != 0) {
            float t = al * y[j];
            for (int i = 0; i < m; i++)
                A[i + j * lda] += x[i] * t;
        }
    }
}

// o_1 = update(o, [i * int(m) + j] = max(0, o[i * int(m) + j] + b[j]) for i < int(n), j < int(m))
// o := o_1
// accesses o[0 .. int(m) * int(n) - 1]
// accesses b[0 .. int(m) - 1]
void bias_relu(float *o, const float *b, int n, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float v = o[i * m + j] + b[j];
            o[i * m + j] = v > 0 ? v : 0;
        }
}

// d_1 = update(d, [i] = s[i] for i < int(n))
// d := d_1
// requires 0 <= int(n)
// accesses d[0 .. int(n) - 1]
// accesses s[0 .. int(n) - 1]
void copy2(char * d, const char * s, int n) {
    int i;
    for (i = 0; i != n; ++i)
        d[i] = s[i];
}

// not derived: whether the loop goes on is decided by data, or by a number that does not change in equal steps; counted loops, or a bound beside it, are supported
int popc(unsigned x) {
    int c = 0;
    while (x) {
        c += x&1;
        x >>= 1;
    }
    return c;
}

// s_1 = fold(int(n) - 1, (f[0] + f[int(n)]) / 2, acc, i: acc + f[i + 1])
// return s_1 * h
// requires 0 <= int(n)
// accesses f[0 .. int(n) + 1 - 1]
double trap(const double *f, int n, double h) {
    double s = (f[0] + f[n]) / 2;
    for (int i = 1; i < n; i++)
        s += f[i];
    return s * h;
}

// acc_2 = update(update(acc, [0] = fold(int(n), acc[0], acc_1, i: acc_1 + x[i])), [1] = fold(int(n), acc[1], acc_1, i: acc_1 + x[i] * x[i]))
// acc := acc_2
// accesses acc[0 .. 2 - 1]
// accesses x[0 .. int(n) - 1]
void addto(int *acc, const int *x, int n) {
    int i;
    for (i = 0; i < n; i++) {
        acc[0] += x[i];
        acc[1] += x[i] * x[i];
    }
}

// z_1 = update(z, [i] = x[i] + y[i] if a == 1 and b == 1 else a * x[i] + b * y[i] for i < int(n))
// z := z_1
// accesses z[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(n) - 1]
void axpby(float *z, const float *x, const float *y, float a, float b, int n) {
    if (a == 1 && b == 1) {
        for (int i = 0; i < n; i++)
            z[i] = x[i] + y[i];
    } else for (int i = 0; i < n; i++)
        z[i] = a * x[i] + b * y[i];
}

