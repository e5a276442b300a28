#include <stddef.h>
#include <math.h>
#include <stdint.h>
// s_1 = fold(int(n), 0, acc, i: acc + x[i])
// return s_1
// accesses x[0 .. int(n) - 1]
float sum(const float *x, int n) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

// s_1 = fold(int(n), 0, acc, k: acc + a[k] * b[k])
// return s_1
// requires 0 <= int(n)
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dotbump(const float *a, const float *b, int n) {
    float s = 0;
    while (n--)
        s += *a++ * *b++;
    return s;
}

// s_1 = fold(int(n), 0, acc, k: acc + a[k] * b[k])
// return s_1
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
float dotbump2(const float *a, const float *b, int n) {
    float s = 0;
    while (n-- > 0) {
        s += *a * *b;
        a++;
        b++;
    }
    return s;
}

// a_1 = update(a, [i] = a[i] + b[i] for i < int(n))
// a := a_1
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
void add(float *a, const float *b, int n) {
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}

// ss_1 = fold(int(size), 0, acc, j: acc + x[j] * x[j])
// ss_2 = 1 / sqrt(ss_1 / f32(size) + 1e-05)
// o_1 = update(o, [j] = weight[j] * (ss_2 * x[j]) for j < int(size))
// o := o_1
// accesses o[0 .. int(size) - 1]
// accesses x[0 .. int(size) - 1]
// accesses weight[0 .. int(size) - 1]
void rmsnorm(float *o, float *x, float *weight, int size) {
    float ss = 0.0f;
    for (int j = 0; j < size; j++) {
        ss += x[j] * x[j];
    }
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < size; j++) {
        o[j] = weight[j] * (ss * x[j]);
    }
}

// max_val_1 = fold(int(size) - 1, x[0], acc, i: max(acc, x[i + 1]))
// sum_1 = fold(int(size), 0, acc, i: acc + exp(x[i] - max_val_1))
// x_1 = update(x, [i] = exp(x[i] - max_val_1) for i < int(size))
// x_2 = update(x_1, [i] = x_1[i] / sum_1 for i < int(size))
// x := x_2
// accesses x[0 .. max(1, int(size)) - 1]
void softmax(float *x, int size) {
    float max_val = x[0];
    for (int i = 1; i < size; i++) {
        if (x[i] > max_val) {
            max_val = x[i];
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        x[i] = expf(x[i] - max_val);
        sum += x[i];
    }
    for (int i = 0; i < size; i++) {
        x[i] /= sum;
    }
}

// xout_1 = update(xout, [i] = fold(int(n), 0, acc, j: acc + w[i * int(n) + j] * x[j]) for i < int(d))
// xout := xout_1
// accesses xout[0 .. int(d) - 1]
// accesses x[0 .. int(n) - 1]
// accesses w[0 .. int(d) * int(n) - 1]
void matmul(float *xout, float *x, float *w, int n, int d) {
    for (int i = 0; i < d; i++) {
        float val = 0.0f;
        for (int j = 0; j < n; j++) {
            val += w[i * n + j] * x[j];
        }
        xout[i] = val;
    }
}

// xout_1 = update(xout, [i] = fold(int(n), 0, acc, j: acc + w[i * int(n) + j] * x[j]) for i < int(d))
// xout := xout_1
// accesses xout[0 .. int(d) - 1]
// accesses x[0 .. int(n) - 1]
// accesses w[0 .. int(d) * int(n) - 1]
void matmul_mem(float *xout, float *x, float *w, int n, int d) {
    for (int i = 0; i < d; i++) {
        xout[i] = 0;
        for (int j = 0; j < n; j++) {
            xout[i] += w[i * n + j] * x[j];
        }
    }
}

// out_1 = update(out, [i] = u8(tdiv(i32(o) * i32(a[i]) + (255 - i32(o)) * i32(b[i]), 255)) for i < int(n))
// out := out_1
// accesses out[0 .. int(n) - 1]
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
void normal8(uint8_t *out, const uint8_t *a, const uint8_t *b, uint8_t o, int n) {
    for (int i = 0; i < n; i++)
        out[i] = (o * a[i] + (255 - o) * b[i]) / 255;
}

// out_1 = update(out, [int(c) * i + j] = min(a[int(c) * i + j], b[int(c) * i + j]) for i < int(r), j < int(c))
// out := out_1
// accesses out[0 .. int(c) * int(r) - 1]
// accesses b[0 .. int(c) * int(r) - 1]
// accesses a[0 .. int(c) * int(r) - 1]
void darken(uint8_t *out, const uint8_t *b, const uint8_t *a, int r, int c) {
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) {
            if (b[i * c + j] > a[i * c + j])
                out[i * c + j] = a[i * c + j];
            else
                out[i * c + j] = b[i * c + j];
        }
}

// out_1 = update(out, [int(c) * i + j] = u8(i32(b[int(c) * i + j]) + i32(a[int(c) * i + j]) - tdiv(i32(b[int(c) * i + j]) * i32(a[int(c) * i + j]), 255)) for i < int(r), j < int(c))
// out := out_1
// accesses out[0 .. int(c) * int(r) - 1]
// accesses b[0 .. int(c) * int(r) - 1]
// accesses a[0 .. int(c) * int(r) - 1]
void screen(uint8_t *out, const uint8_t *b, const uint8_t *a, int r, int c) {
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) {
            out[i * c + j] = b[i * c + j] + a[i * c + j] - b[i * c + j] * a[i * c + j] / 255;
        }
}

// out_1 = update(out, [int(c) * i + j] = 255 if a[int(c) * i + j] == 0 else 255 - tdiv(255 - b[int(c) * i + j], a[int(c) * i + j]) for i < int(r), j < int(c))
// out := out_1
// accesses out[0 .. int(c) * int(r) - 1]
// accesses b[0 .. int(c) * int(r) - 1]
// accesses a[0 .. int(c) * int(r) - 1]
void color_burn(int *out, const int *b, const int *a, int r, int c) {
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) {
            int x = a[i * c + j];
            out[i * c + j] = x == 0 ? 255 : 255 - (255 - b[i * c + j]) / x;
        }
}

// out_1 = update(out, [int(c) * i + j] = u8(2 * i32(base[int(c) * i + j]) + i32(base[int(c) * i + j]) - tdiv(2 * i32(base[int(c) * i + j]) * i32(base[int(c) * i + j]), 255) - 255) if 128 <= i32(base[int(c) * i + j]) else u8(tdiv(2 * i32(base[int(c) * i + j]) * i32(base[int(c) * i + j]), 255)) for i < int(r), j < int(c))
// out := out_1
// accesses out[0 .. int(c) * int(r) - 1]
// accesses base[0 .. int(c) * int(r) - 1]
void overlay(uint8_t *out, const uint8_t *base, const uint8_t *a, int r, int c) {
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) {
            int idx = i * c + j;
            if (base[idx] >= 128)
                out[idx] = 2 * base[idx] + base[idx] - 2 * base[idx] * base[idx] / 255 - 255;
            else
                out[idx] = 2 * base[idx] * base[idx] / 255;
        }
}

// x_1 = update(x, [i] = x[i] * (1 / (1 + exp(-x[i]))) for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void silu(float *x, int n) {
    for (int i = 0; i < n; i++) {
        float v = x[i];
        v *= (1.0f / (1.0f + expf(-v)));
        x[i] = v;
    }
}

// hb_1 = update(hb, [i] = hb[i] * (1 / (1 + exp(-hb[i]))) * hb2[i] for i < int(n))
// hb := hb_1
// accesses hb[0 .. int(n) - 1]
// accesses hb2[0 .. int(n) - 1]
void swiglu(float *hb, const float *hb2, int n) {
    for (int i = 0; i < n; i++) {
        float v = hb[i];
        v *= (1.0f / (1.0f + expf(-v)));
        v *= hb2[i];
        hb[i] = v;
    }
}

// score_1 = update(score, [t] = fold(int(hs), 0, acc, i: acc + q[int(h) * int(hs) + i] * k[int(dim) * t + int(h) * int(hs) + i]) / sqrt(f32(hs)) for t < int(pos) + 1)
// score := score_1
// accesses score[0 .. int(pos) + 1 - 1]
// accesses q[0 .. int(h) * int(hs) + int(hs) - 1]
// accesses k[0 .. int(dim) * int(pos) + int(h) * int(hs) + int(hs) - 1]
void attn(float *score, const float *q, const float *k, int h, int hs, int dim, int pos) {
    for (int t = 0; t <= pos; t++) {
        float s = 0;
        for (int i = 0; i < hs; i++)
            s += q[h * hs + i] * k[t * dim + h * hs + i];
        s /= sqrtf(hs);
        score[t] = s;
    }
}

// m_1 = fold(int(n) - 1, x[0], acc, i: max(acc, x[i + 1]))
// return m_1
// accesses x[0 .. max(1, int(n)) - 1]
float maximum(const float *x, int n) {
    float m = x[0];
    for (int i = 1; i < n; i++)
        m = x[i] > m ? x[i] : m;
    return m;
}

// m_1 = fold(int(n) - 1, x[0], acc, i: max(acc, x[i + 1]))
// return m_1
// accesses x[0 .. max(1, int(n)) - 1]
int maxint(const int *x, int n) {
    int m = x[0];
    for (int i = 1; i < n; i++)
        if (m < x[i])
            m = x[i];
    return m;
}

// C_1 = update(C, [int(N) * i + j] = fold(int(K), 0, acc, k: acc + A[int(K) * i + k] * B[int(N) * k + j]) for i < int(M), j < int(N))
// C := C_1
// accesses C[0 .. int(M) * int(N) - 1]
// accesses A[0 .. int(K) * int(M) - 1]
// accesses B[0 .. int(K) * int(N) - 1]
void gemm(float *C, const float *A, const float *B, int M, int N, int K) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += A[i * K + k] * B[k * N + j];
            C[i * N + j] = s;
        }
}

// C_1 = update(C, [i * int(ldc) + j] = fold(int(K), C[i * int(ldc) + j], acc_1, k: acc_1 + alpha * A[i * int(lda) + k] * B[k * int(ldb) + j]) for i < int(M), j < int(N))
// C := C_1
// requires int(N) <= int(ldc)
// accesses C[0 .. int(M) * int(ldc) + int(N) - int(ldc) - 1]
// accesses A[0 .. int(M) * int(lda) + int(K) - int(lda) - 1]
// accesses B[0 .. int(K) * int(ldb) + int(N) - int(ldb) - 1]
void gemm_ld(float *C, const float *A, const float *B, int M, int N, int K, int lda, int ldb, int ldc, float alpha) {
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            float a = alpha * A[i * lda + k];
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += a * B[k * ldb + j];
        }
}

// C_1 = update(C, [i] = 0 for i < int(M) * int(N))
// C_2 = update(C_1, [int(N) * i + j] = fold(int(K), 0, acc_1, k: acc_1 + A[int(K) * i + k] * B[int(N) * k + j]) for i < int(M), j < int(N))
// C := C_2
// accesses C[0 .. int(M) * int(N) - 1]
// accesses A[0 .. int(K) * int(M) - 1]
// accesses B[0 .. int(K) * int(N) - 1]
void gemm_init(float *C, const float *A, const float *B, int M, int N, int K) {
    for (int i = 0; i < M * N; i++)
        C[i] = 0;
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * N + j] += A[i * K + k] * B[k * N + j];
}

// C_1 = update(C, [int(N) * i + j] = fold(int(K), 0, acc_2, k: acc_2 + A[int(K) * i + k] * B[int(N) * k + j]) for i < int(M), j < int(N))
// C := C_1
// accesses C[0 .. int(M) * int(N) - 1]
// accesses A[0 .. int(K) * int(M) - 1]
// accesses B[0 .. int(K) * int(N) - 1]
void gemm_init2(float *C, const float *A, const float *B, int M, int N, int K) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            C[i * N + j] = 0;
    for (int k = 0; k < K; k++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                C[i * N + j] += A[i * K + k] * B[k * N + j];
}

// C_1 = update(C, [int(N) * i + j] = fold(int(K), C[int(N) * i + j] * beta, acc, k: acc + A[int(K) * i + k] * B[int(N) * k + j]) for i < int(M), j < int(N))
// C := C_1
// accesses C[0 .. int(M) * int(N) - 1]
// accesses A[0 .. int(K) * int(M) - 1]
// accesses B[0 .. int(K) * int(N) - 1]
void gemm_beta(float *C, const float *A, const float *B, int M, int N, int K, float beta) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            C[i * N + j] *= beta;
            for (int k = 0; k < K; k++)
                C[i * N + j] += A[i * K + k] * B[k * N + j];
        }
}

// b_1 = fold(int(n) - 1, 0, acc, i: i32(i + 1) if x[int(acc)] < x[i + 1] else acc)
// return b_1
// accesses x[0 .. max(1, int(n)) - 1]
int argmax(const float *x, int n) {
    int b = 0;
    float m = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > m) {
            m = x[i];
            b = i;
        }
    return b;
}

// b_1 = fold(int(n) - 1, 0, acc, i: i32(i + 1) if x[int(acc)] < x[i + 1] else acc)
// return b_1
int argmax2(const float *x, int n) {
    int b = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[b])
            b = i;
    return b;
}

// o_1 = update(o, [i] = fold(i + 1, 0, acc, i_1: acc + x[i_1]) for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void prefix(float *o, const float *x, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        o[i] = s;
    }
}

// x_1 = update(x, [i + 1] = fold(i + 1, x[0], acc, i_1: acc + x[i_1 + 1]) for i < int(n) - 1)
// x := x_1
// accesses x[0 .. int(n) - 1]
void prefix_in(float *x, int n) {
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}

// o_1 = update(o, [j * int(r) + i] = x[int(c) * i + j] for i < int(r), j < int(c))
// o := o_1
// accesses o[0 .. int(c) * int(r) - 1]
// accesses x[0 .. int(c) * int(r) - 1]
void transpose(float *o, const float *x, int r, int c) {
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++)
            o[j * r + i] = x[i * c + j];
}

// o_1 = update(o, [j] = fold(int(r), 0, acc_1, i: acc_1 + x[int(c) * i + j]) for j < int(c))
// o := o_1
// accesses o[0 .. int(c) - 1]
// accesses x[0 .. int(c) * int(r) - 1]
void colsum(float *o, const float *x, int r, int c) {
    for (int j = 0; j < c; j++)
        o[j] = 0;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++)
            o[j] += x[i * c + j];
}

// o_1 = update(o, [int(W) * i - i * int(kw) + i + j] = fold(int(kh), 0, acc_1, a: fold(int(kw), acc_1, acc, b: acc + x[int(W) * a + int(W) * i + b + j] * w[a * int(kw) + b])) for i < int(H) - int(kh) + 1, j < int(W) - int(kw) + 1)
// o := o_1
// accesses o[0 .. int(H) * int(W) - int(H) * int(kw) - int(W) * int(kh) + int(kh) * int(kw) + int(H) + int(W) - int(kh) - int(kw) + 1 - 1]
// accesses x[0 .. int(H) * int(W) - 1]
// accesses w[0 .. int(kh) * int(kw) - 1]
void conv2d(float *o, const float *x, const float *w, int H, int W, int kh, int kw) {
    for (int i = 0; i < H - kh + 1; i++)
        for (int j = 0; j < W - kw + 1; j++) {
            float s = 0;
            for (int a = 0; a < kh; a++)
                for (int b = 0; b < kw; b++)
                    s += x[(i + a) * W + j + b] * w[a * kw + b];
            o[i * (W - kw + 1) + j] = s;
        }
}

// o_1 = update(o, [i * int(s)] = x[i * int(s)] for i < int(n))
// o := o_1
// requires 1 <= int(s)
// accesses o[0 .. int(n) * int(s) - int(s) + 1 - 1]
// accesses x[0 .. int(n) * int(s) - int(s) + 1 - 1]
void strided(float *o, const float *x, int n, int s) {
    for (int i = 0; i < n; i++)
        o[i * s] = x[i * s];
}

// o_1 = update(o, [2 * i] = x[2 * i] for i < (int(n) + 1) // 2)
// o := o_1
// accesses o[0 .. 2 * ((int(n) + 1) // 2) - 1 - 1]
// accesses x[0 .. 2 * ((int(n) + 1) // 2) - 1 - 1]
void strided2(float *o, const float *x, int n) {
    for (int i = 0; i < n; i += 2)
        o[i] = x[i];
}

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

// s_1 = update(s, [0] = fold(int(n), 0, acc, i: acc + x[i]))
// s := s_1
// accesses s[0 .. 1 - 1]
// accesses x[0 .. int(n) - 1]
void summem(float *s, const float *x, int n) {
    *s = 0;
    for (int i = 0; i < n; i++)
        *s += x[i];
}

// c_1 = fold(int(n), 0, acc, i: acc + (1 if 0 < x[i] else 0))
// return c_1
// accesses x[0 .. int(n) - 1]
int countpos(const int *x, int n) {
    int c = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            c++;
    return c;
}

// c_1 = fold(int(n), 0, acc, i: acc + (x[i] if 0 < x[i] and x[i] < 10 else -(1) if 20 < x[i] else 0))
// return c_1
// accesses x[0 .. int(n) - 1]
float condsum(const float *x, int n) {
    float c = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 0 && x[i] < 10)
            c += x[i];
        else if (x[i] > 20)
            c -= 1;
    }
    return c;
}

// x_1 = update(x, [i] = max(x[i], 0) for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void relu(float *x, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            x[i] = 0;
}

// x_1 = update(x, [i] = lo if x[i] < lo else min(hi, x[i]) for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void clampk(float *x, int n, float lo, float hi) {
    for (int i = 0; i < n; i++) {
        if (x[i] < lo)
            x[i] = lo;
        else if (x[i] > hi)
            x[i] = hi;
    }
}

// x_1 = update(x, [i] = x[i] * 2 for i < max(1, int(n)))
// x := x_1
// accesses x[0 .. max(1, int(n)) - 1]
void dowhile(float *x, int n) {
    int i = 0;
    do {
        x[i] *= 2;
        i++;
    } while (i < n);
}

// x_1 = update(x, [i] = x[i] * 2 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void dowhileg(float *x, int n) {
    if (n > 0) {
        int i = 0;
        do {
            x[i] *= 2;
            i++;
        } while (i < n);
    }
}

// x_1 = update(x, [p] = x[p] * 2 for p < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void ptrend(float *x, int n) {
    float *e = x + n;
    for (float *p = x; p < e; p++)
        *p = *p * 2;
}

// x_1 = update(x, [k] = x[k] + 1 for k < int(n))
// x := x_1
// requires 0 <= int(n)
// accesses x[0 .. int(n) - 1]
void ptrend2(float *x, int n) {
    float *e = x + n;
    while (x != e) {
        *x = *x + 1;
        ++x;
    }
}

// x_1 = update(x, [i] = x[i] * 2 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void down(float *x, int n) {
    for (int i = n - 1; i >= 0; i--)
        x[i] *= 2;
}

// x_1 = update(x, [i] = x[i] * 2 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void uns(float *x, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        x[i] *= 2;
}

// x_1 = update(x, [i] = x[i] * 2 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void sz(float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] *= 2;
}

// x_1 = update(x, [i] = x[i] * 2 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void u8c(float *x, uint8_t n) {
    for (uint8_t i = 0; i < n; i++)
        x[i] *= 2;
}

// x_1 = update(x, [i] = x[i] * 2 for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void early(float *x, int n) {
    if (n <= 0)
        return;
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}

// return 0 if n <= 0 else fold(int(n) - 1, x[0], acc, i: max(acc, x[i + 1]))
// accesses x[0 .. int(n) - 1]
float earlys(float *x, int n) {
    if (n <= 0)
        return 0;
    float m = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > m)
            m = x[i];
    return m;
}

// m_1 = fold(int(n), 0, acc, i: acc + x[i])
// m_2 = m_1 / f32(n)
// v_1 = fold(int(n), 0, acc, i: acc + (x[i] - m_2) * (x[i] - m_2))
// r_1 = 1 / sqrt(v_1 / f32(n) + 1e-05)
// o_1 = update(o, [i] = (x[i] - m_2) * r_1 * w[i] + b[i] for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
// accesses w[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
void layernorm(float *o, const float *x, const float *w, const float *b, int n) {
    float m = 0;
    for (int i = 0; i < n; i++)
        m += x[i];
    m /= n;
    float v = 0;
    for (int i = 0; i < n; i++) {
        float d = x[i] - m;
        v += d * d;
    }
    v /= n;
    float r = 1.0f / sqrtf(v + 1e-5f);
    for (int i = 0; i < n; i++)
        o[i] = (x[i] - m) *r * w[i] + b[i];
}

// x_1 = update(x, [int(c) * i + j] = exp(x[int(c) * i + j] - fold(int(c) - 1, x[int(c) * i], acc, j: max(acc, x[int(c) * i + j + 1]))) / fold(int(c), 0, acc, j: acc + exp(x[int(c) * i + j] - fold(int(c) - 1, x[int(c) * i], acc, j: max(acc, x[int(c) * i + j + 1])))) for i < int(r), j < int(c))
// x := x_1
// accesses x[0 .. max(int(c) * int(r) - int(c) + 1, int(c) * int(r)) - 1]
void rowsoftmax(float *x, int r, int c) {
    for (int i = 0; i < r; i++) {
        float *p = x + i * c;
        float m = p[0];
        for (int j = 1; j < c; j++)
            if (p[j] > m)
                m = p[j];
        float s = 0;
        for (int j = 0; j < c; j++) {
            p[j] = expf(p[j] - m);
            s += p[j];
        }
        for (int j = 0; j < c; j++)
            p[j] /= s;
    }
}

// a_1 = update(a, [i] = b[i] for i < int(n))
// b_1 = update(b, [i] = a[i] for i < int(n))
// a := a_1
// b := b_1
// accesses a[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
void swap(float *a, float *b, int n) {
    for (int i = 0; i < n; i++) {
        float t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

// x_1 = update(update(x, [i] = x[-i + int(n) - 1] for i < int(n) // 2), [-i + int(n) - 1] = x[i] for i < int(n) // 2)
// x := x_1
// accesses x[0 .. int(n) - 1]
void reverse(float *x, int n) {
    for (int i = 0; i < n / 2; i++) {
        float t = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
}

// v_1 = update(update(v, [2 * i] = v[2 * i] * c[i] - v[2 * i + 1] * s[i] for i < (int(hs) + 1) // 2), [2 * i + 1] = v[2 * i] * s[i] + v[2 * i + 1] * c[i] for i < (int(hs) + 1) // 2)
// v := v_1
// accesses v[0 .. 2 * ((int(hs) + 1) // 2) - 1]
// accesses c[0 .. (int(hs) + 1) // 2 - 1]
// accesses s[0 .. (int(hs) + 1) // 2 - 1]
void rope(float *v, const float *c, const float *s, int hs) {
    for (int i = 0; i < hs; i += 2) {
        float a = v[i], b = v[i + 1];
        v[i] = a * c[i / 2] - b * s[i / 2];
        v[i + 1] = a * s[i / 2] + b * c[i / 2];
    }
}

// s_1 = fold(int(n), 0, acc, i: acc + x[i] * x[i])
// return f32(s_1)
// accesses x[0 .. int(n) - 1]
float lastsum(const int *x, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}

// x_1 = update(x, [i] = v for i < int(n))
// x := x_1
// accesses x[0 .. int(n) - 1]
void fill(float *x, int n, float v) {
    int i = 0;
    while (i < n) {
        x[i] = v;
        i = i + 1;
    }
}

// o_1 = update(o, [0] = x[0])
// o_2 = update(o_1, [i + 1] = fold(i + 1, x[0], acc, i_1: acc + x[i_1 + 1]) for i < int(n) - 1)
// o := o_2
// accesses o[0 .. max(1, int(n)) - 1]
// accesses x[0 .. max(1, int(n)) - 1]
void scan2(float *o, const float *x, int n) {
    o[0] = x[0];
    for (int i = 1; i < n; i++)
        o[i] = o[i - 1] + x[i];
}

// o_1 = update(o, [i + 1] = (x[i] + x[i + 1] + x[i + 2]) / 3 for i < int(n) - 2)
// o := o_1
// accesses o[0 .. int(n) - 1 - 1]
// accesses x[0 .. int(n) - 1]
void blur(float *o, const float *x, int n) {
    for (int i = 1; i < n - 1; i++)
        o[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

// a_1 = update(a, [i] = a[i] * m[i] + b[i] for i < int(n))
// a := a_1
// accesses a[0 .. int(n) - 1]
// accesses m[0 .. int(n) - 1]
// accesses b[0 .. int(n) - 1]
void ma(float *a, const float *m, const float *b, int n) {
    for (int i = 0; i < n; i++)
        a[i] = a[i] * m[i] + b[i];
}

// o_1 = update(o, [i] = min(1, x[i]) if 0 < x[i] else 0 for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
void nested_if(float *o, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 0) {
            if (x[i] > 1)
                o[i] = 1;
            else
                o[i] = x[i];
        } else o[i] = 0;
    }
}

// out_1 = update(out, [i] = fold(int(pos) + 1, 0, acc_1, t: acc_1 + att[t] * v[int(dim) * t + int(h) * int(hs) + i]) for i < int(hs))
// out := out_1
// accesses out[0 .. int(hs) - 1]
// accesses att[0 .. int(pos) + 1 - 1]
// accesses v[0 .. int(dim) * int(pos) + int(h) * int(hs) + int(hs) - 1]
void attnout(float *out, const float *att, const float *v, int pos, int hs, int dim, int h) {
    for (int i = 0; i < hs; i++)
        out[i] = 0;
    for (int t = 0; t <= pos; t++) {
        const float *vv = v + t * dim + h * hs;
        float a = att[t];
        for (int i = 0; i < hs; i++)
            out[i] += a * vv[i];
    }
}

// i_1 = fold(int(n), 0, acc, i: acc + (1 if int(acc) == i and x[i] != v else 0))
// return i_1 if int(i_1) < int(n) else -1
// accesses x[0 .. int(n) - 1]
int find(const int *x, int n, int v) {
    for (int i = 0; i < n; i++)
        if (x[i] == v)
            return i;
    return - 1;
}

// i_1 = fold(int(n), 0, acc, i: acc + (1 if int(acc) == i and x[i] == y[i] else 0))
// return 0:i32 if int(i_1) < int(n) else 1
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(n) - 1]
int eqarr(const int *x, const int *y, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] != y[i])
            return 0;
    return 1;
}

// h_1 = update(h, [p] = fold(int(n), h[p], acc, i: acc + (1 if int(x[i]) == p else 0)) for p < 256)
// h := h_1
// accesses h[0 .. 256 - 1]
// accesses x[0 .. int(n) - 1]
void hist(int *h, const uint8_t *x, int n) {
    for (int i = 0; i < n; i++)
        h[x[i]]++;
}

// r_1 = fold(int(n), 0, acc, i: acc * x + c[-i + int(n) - 1])
// return r_1
// accesses c[0 .. int(n) - 1]
float poly(const float *c, int n, float x) {
    float r = 0;
    for (int i = n - 1; i >= 0; i--)
        r = r * x + c[i];
    return r;
}

// y_1 = update(y, [i] = fold(i + 1, 0, acc, j: acc + L[i * int(n) + j] * x[j]) for i < int(n))
// y := y_1
// accesses y[0 .. int(n) - 1]
// accesses L[0 .. int(n) * int(n) - 1]
// accesses x[0 .. int(n) - 1]
void tri(float *y, const float *L, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j <= i; j++)
            s += L[i * n + j] * x[j];
        y[i] = s;
    }
}

