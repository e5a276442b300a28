#include <cmath>
#include <cstdint>
#include <cstddef>
#include <vector>
// o_1 = update(o, [int(cols) * i + j] = a[int(cols) * i + j] * b[int(cols) * i + j] for i < int(rows), j < int(cols))
// o := o_1
// requires int(cols) * int(rows) - 1 <= 18446744073709551615
// accesses o[0 .. int(cols) * int(rows) - 1]
// accesses a[0 .. int(cols) * int(rows) - 1]
// accesses b[0 .. int(cols) * int(rows) - 1]
void z1(float *o, const float *a, const float *b, size_t rows, size_t cols) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            o[i * cols + j] = a[i * cols + j] * b[i * cols + j];
}

// o_1 = update(o, [i] = fold(int(n), 0, acc, j: acc + w[i * int(n) + j] * x[j]) for i < int(d))
// o := o_1
// requires int(d) * int(n) - 1 <= 18446744073709551615
// accesses o[0 .. int(d) - 1]
// accesses w[0 .. int(d) * int(n) - 1]
// accesses x[0 .. int(n) - 1]
void z2(float *o, const float *w, const float *x, size_t n, size_t d) {
    for (size_t i = 0; i < d; i++) {
        float s = 0;
        for (size_t j = 0; j < n; j++)
            s += w[i * n + j] * x[j];
        o[i] = s;
    }
}

// o_1 = update(o, [int(cols) * i + j] = min(b[int(cols) * i + j], a[int(cols) * i + j]) for i < int(rows), j < int(cols))
// o := o_1
// accesses o[0 .. int(cols) * int(rows) - 1]
// accesses a[0 .. int(cols) * int(rows) - 1]
// accesses b[0 .. int(cols) * int(rows) - 1]
void z3(uint8_t *o, const uint8_t *a, const uint8_t *b, int rows, int cols) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            size_t k = (size_t)i * cols + j;
            o[k] = a[k] > b[k] ? b[k] : a[k];
        }
}

// o_1 = update(o, [i] = a[-i + int(n) - 1] for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses a[0 .. int(n) - 1]
void z4(float *o, const float *a, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        o[i] = a[n - 1 - i];
}

// o_1 = update(o, [i] = a[i] * 2 for i < int(n))
// o := o_1
// accesses o[0 .. int(n) - 1]
// accesses a[0 .. int(n) - 1]
void z5(float *o, const float *a, size_t n) {
    for (size_t i = n; i-- > 0;)
        o[i] = a[i] * 2;
}

// t_1 = fold(int(rows), 0, acc_1, i: fold(int(cols), acc_1, acc, j: acc + m[int(cols) * i + j] * v[j]))
// return t_1
// requires int(cols) * int(rows) - 1 <= 18446744073709551615
// accesses m[0 .. int(cols) * int(rows) - 1]
// accesses v[0 .. int(cols) - 1]
float z6(const std::vector<float> &m, const std::vector<float> &v, size_t rows, size_t cols) {
    float t = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            t += m[i * cols + j] * v[j];
    return t;
}

// return [fold(int(n), 0.0:f32, acc, j: acc + w[k.2 * int(n) + j] * x[j]) for k.2 < int(d)]
// accesses w[0 .. int(d) * int(n) - 1]
// accesses x[0 .. int(n) - 1]
std::vector<float> z7(const std::vector<float> &w, const std::vector<float> &x, int n, int d) {
    std::vector<float> o(d);
    for (int i = 0; i < d; i++) {
        float s = 0;
        for (int j = 0; j < n; j++)
            s += w[i * n + j] * x[j];
        o[i] = s;
    }
    return o;
}

