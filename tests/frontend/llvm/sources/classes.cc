// Classes, templates, overloads, pairs and tuples, std::array, exceptions.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// vector fields, methods, operators
struct Matrix {
    std::vector<float> data;
    size_t rows, cols;
    float operator()(size_t i, size_t j) const { return data[i * cols + j]; }
    float &operator()(size_t i, size_t j) { return data[i * cols + j]; }
    float &at(size_t i, size_t j) { return data[i * cols + j]; }
    size_t size() const { return rows * cols; }
    float trace() const {
        float s = 0;
        for (size_t i = 0; i < rows; i++)
            s += (*this)(i, i);
        return s;
    }
    void scale(float k) {
        for (auto &v : data)
            v *= k;
    }
    static float mean(const float *x, int n) { return std::accumulate(x, x + n, 0.0f) / n; }
};
float matrix_sum(const Matrix &m) {
    float s = 0;
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.cols; j++)
            s += m(i, j);
    return s;
}
void matrix_scale(Matrix &m, float k) {
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.cols; j++)
            m(i, j) *= k;
}
void matvec(const Matrix &m, const std::vector<float> &x, std::vector<float> &y) {
    for (size_t i = 0; i < m.rows; i++) {
        float s = 0;
        for (size_t j = 0; j < m.cols; j++)
            s += m(i, j) * x[j];
        y[i] = s;
    }
}
void gemm(const Matrix &a, const Matrix &b, Matrix &c) {
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j < b.cols; j++) {
            float s = 0;
            for (size_t k = 0; k < a.cols; k++)
                s += a(i, k) * b(k, j);
            c.at(i, j) = s;
        }
}
float matrix_by_value(Matrix m) { return std::accumulate(m.data.begin(), m.data.end(), 0.0f) / m.size(); }
class Image {
    int w, h;
    const float *px;

  public:
    Image(int w, int h, const float *px) : w(w), h(h), px(px) {}
    int width() const { return w; }
    int height() const { return h; }
    float get(int x, int y) const { return px[y * w + x]; }
    float operator[](int i) const { return px[i]; }
    float brightness() const {
        float s = 0;
        for (int i = 0; i < w * h; i++)
            s += px[i];
        return s / (w * h);
    }
};
void invert(const Image &im, float *out) {
    for (int y = 0; y < im.height(); y++)
        for (int x = 0; x < im.width(); x++)
            out[y * im.width() + x] = 1.0f - im.get(x, y);
}
float image_sum(const Image &im) {
    float s = 0;
    for (int i = 0; i < im.width() * im.height(); i++)
        s += im[i];
    return s;
}
float made_here(const float *px, int w, int h) {
    Image im(w, h, px);
    float s = 0;
    for (int i = 0; i < w * h; i++)
        s += im[i];
    return s;
}
// std::array
float array_dot(const std::array<float, 4> &a, const std::array<float, 4> &b) {
    float s = 0;
    for (size_t i = 0; i < a.size(); i++)
        s += a[i] * b[i];
    return s;
}
float array_value(std::array<float, 8> a) {
    float s = 0;
    for (float v : a)
        s += v;
    return s;
}
void array_scale(std::array<float, 16> &a, float k) {
    for (auto &v : a)
        v *= k;
}
float array_sum(const std::array<float, 16> &a) { return std::accumulate(a.begin(), a.end(), 0.0f); }
void array_fill(std::array<int, 16> &a, int v) { a.fill(v); }
void smooth(const float *x, float *y, int n) {
    std::array<float, 3> w = {0.25f, 0.5f, 0.25f};
    for (int i = 1; i < n - 1; i++) {
        float s = 0;
        for (int k = 0; k < 3; k++)
            s += w[k] * x[i + k - 1];
        y[i] = s;
    }
}
void histogram(const std::vector<uint8_t> &x, std::array<int, 256> &h) {
    for (auto v : x)
        h[v]++;
}
struct Filter {
    float taps[5];
    float bias;
};
void fir(const Filter &f, const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        float s = f.bias;
        for (int k = 0; k < 5; k++)
            s += f.taps[k] * x[i + k];
        y[i] = s;
    }
}
// pairs and tuples
std::pair<float, float> sum_and_squares(const std::vector<float> &x) {
    float s = 0, q = 0;
    for (float v : x) {
        s += v;
        q += v * v;
    }
    return {s, q};
}
std::pair<float, int> pair_mixed(const float *x, int n) {
    float s = 0;
    int c = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            s += x[i];
            c++;
        }
    return std::make_pair(s, c);
}
std::tuple<float, double, int> triple(const std::vector<float> &x) {
    float s = 0;
    double d = 0;
    int n = 0;
    for (float v : x) {
        s += v;
        d += v;
        n++;
    }
    return std::make_tuple(s, d, n);
}
float mean_and_more(const std::vector<float> &x) {
    auto [s, q] = sum_and_squares(x);
    return q - s * s / x.size();
}
float tied(const std::vector<float> &x) {
    float s;
    double d;
    int n;
    std::tie(s, d, n) = triple(x);
    return s + d + n;
}
float first_of(const std::pair<float, float> &p) { return p.first + p.second; }
struct Stats {
    float sum, sq;
    int n;
};
Stats stats(const std::vector<float> &x) {
    Stats r{};
    for (float v : x) {
        r.sum += v;
        r.sq += v * v;
        r.n++;
    }
    return r;
}
float variance(const std::vector<float> &x) {
    Stats r = stats(x);
    return r.sq / r.n - (r.sum / r.n) * (r.sum / r.n);
}
// templates, namespaces, overloads, default arguments, constexpr, aliases
template <typename T> T tdot(const std::vector<T> &a, const std::vector<T> &b) {
    T s{};
    for (size_t i = 0; i < a.size(); i++)
        s += a[i] * b[i];
    return s;
}
template float tdot<float>(const std::vector<float> &, const std::vector<float> &);
template <typename T, int N> T tsum(const T *x) {
    T s = 0;
    for (int i = 0; i < N; i++)
        s += x[i];
    return s;
}
int uses_tsum(const int *x) { return tsum<int, 8>(x) + tsum<int, 4>(x + 8); }
int uses_tdot(const std::vector<int> &a) { return tdot(a, a); }
template <typename F> void apply(std::vector<float> &x, F f) {
    for (auto &v : x)
        v = f(v);
}
void apply_lambda(std::vector<float> &x, float k) {
    apply(x, [=](float v) { return v > k ? v : k; });
}
namespace nn {
namespace detail {
inline float act(float x, float slope = 0.1f) { return x > 0 ? x : slope * x; }
}
using Vec = std::vector<float>;
void leaky(const Vec &x, Vec &y) {
    for (Vec::size_type i = 0; i < x.size(); ++i)
        y[i] = detail::act(x[i]);
}
constexpr int K = 3;
constexpr float cube(float v) { return v * v * v; }
Vec cubes(const Vec &x) {
    Vec y;
    for (auto v : x)
        y.push_back(K * cube(v));
    return y;
}
} // namespace nn
int sum(const std::vector<int> &x) { return std::accumulate(x.begin(), x.end(), 0); }
float sum(const std::vector<float> &x) { return std::accumulate(x.begin(), x.end(), 0.0f); }
struct Op {
    float scale, shift;
    float operator()(float v) const { return v * scale + shift; }
};
void apply_functor(const Op &op, const std::vector<float> &x, std::vector<float> &y) {
    std::transform(x.begin(), x.end(), y.begin(), op);
}
struct Counter {
    int n = 0;
    double total = 0;
    void add(double v) {
        n++;
        total += v;
    }
    double mean() const { return total / n; }
};
double running(const std::vector<double> &x) {
    Counter c;
    for (double v : x)
        c.add(v);
    return c.mean();
}
void accumulate_into(Counter &c, const std::vector<double> &x) {
    for (double v : x)
        c.add(v);
}
struct Base {
    int n;
    const float *p;
    int size() const { return n; }
};
struct Derived : Base {
    float k;
    float total() const {
        float s = 0;
        for (int i = 0; i < size(); i++)
            s += k * p[i];
        return s;
    }
};
float derived_total(const Derived &d) { return d.total(); }
template <typename T> class Tensor {
    std::vector<T> data_;
    int d0_, d1_;

  public:
    const T &operator()(int i, int j) const { return data_[i * d1_ + j]; }
    T &operator()(int i, int j) { return data_[i * d1_ + j]; }
    int dim(int k) const { return k == 0 ? d0_ : d1_; }
    T sum() const {
        T s = 0;
        for (const auto &v : data_)
            s += v;
        return s;
    }
};
float tensor_sum(const Tensor<float> &t) { return t.sum(); }
void tensor_add(const Tensor<float> &a, const Tensor<float> &b, Tensor<float> &c) {
    for (int i = 0; i < a.dim(0); i++)
        for (int j = 0; j < a.dim(1); j++)
            c(i, j) = a(i, j) + b(i, j);
}
int checked(const std::vector<int> &a, const std::vector<int> &b) {
    if (a.size() != b.size())
        throw 1;
    int s = 0;
    for (size_t i = 0; i < a.size(); i++)
        s += a[i] * b[i];
    return s;
}
struct Bank {
    int n;
    float w[4];
    void grow() { n++; }
};
int by_value(Bank b) {
    b.grow();
    return b.n;
}
static int grown(Bank b) {
    b.grow();
    return b.n;
}
int caller_keeps(Bank &b) {
    int r = grown(b);
    return r * 10 + b.n;
}
using Matrix3 = std::array<std::array<float, 3>, 3>;
void transposed(const Matrix3 &m, Matrix3 &t) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[j][i] = m[i][j];
}
float own_matrix(Matrix3 m, int n) {
    m[1][1] = 0;
    float s = 0;
    for (int i = 0; i < 3 && i < n; i++)
        s += m[i][i];
    return s;
}
struct Taps {
    std::array<float, 5> taps;
    float gain;
};
void filtered(const Taps &f, const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < 5; k++)
            s += f.taps[k] * x[i + k];
        y[i] = f.gain * s;
    }
}
void assigned(const std::array<float, 16> &a, std::array<float, 16> &b) { b = a; }
int logged(const std::vector<int> &x, int i) {
    if (i < 0)
        throw std::out_of_range("negative " + std::to_string(i));
    std::vector<int> copy(x);
    if (i >= (int)copy.size())
        throw std::invalid_argument("too large");
    return copy[i];
}
struct Grid {
    std::vector<std::vector<float>> cells;
    float total() const {
        float s = 0;
        for (const auto &row : cells)
            for (float v : row)
                s += v;
        return s;
    }
};
float grid_total(const Grid &g) { return g.total(); }
