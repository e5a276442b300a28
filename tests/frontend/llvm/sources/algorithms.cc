// Algorithms of the standard library on vectors, pointers and arrays, with and without function objects.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

using std::vector;

float total(const vector<float> &x) { return std::accumulate(x.begin(), x.end(), 0.0f); }
double total_pointer(const double *x, int n) { return std::accumulate(x, x + n, 0.0); }
float product(const vector<float> &x) {
    return std::accumulate(x.begin(), x.end(), 1.0f, std::multiplies<float>());
}
float product2(const vector<float> &x) {
    return std::accumulate(x.cbegin(), x.cend(), 1.0f, std::multiplies<>{});
}
float squares(const vector<float> &x, float w) {
    return std::accumulate(x.begin(), x.end(), 0.0f, [w](float a, float b) { return a + w * b * b; });
}
float dot(const vector<float> &a, const vector<float> &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
}
int manhattan(const int *a, const int *b, int n) {
    return std::inner_product(a, a + n, b, 0, std::plus<int>(), [](int p, int q) { return std::abs(p - q); });
}
void scale(vector<float> &x, float k) {
    std::transform(x.begin(), x.end(), x.begin(), [k](float v) { return v * k; });
}
vector<float> add(const vector<float> &a, const vector<float> &b) {
    vector<float> out(a.size());
    std::transform(a.begin(), a.end(), b.begin(), out.begin(), std::plus<float>());
    return out;
}
vector<float> squared(const vector<float> &a) {
    vector<float> out;
    out.reserve(a.size());
    std::transform(a.begin(), a.end(), std::back_inserter(out), [](float v) { return v * v; });
    return out;
}
void multiply(const float *a, const float *b, float *out, int n) {
    std::transform(a, a + n, b, out, std::multiplies<>());
}
struct axpy {
    float k;
    float operator()(float x, float y) const { return k * x + y; }
};
void saxpy(float k, const vector<float> &x, vector<float> &y) {
    std::transform(x.begin(), x.end(), y.begin(), y.begin(), axpy{k});
}
float largest(const vector<float> &x) { return *std::max_element(x.begin(), x.end()); }
int smallest(const int *x, int n) { return *std::min_element(x, x + n); }
int position(const vector<float> &x) { return std::max_element(x.begin(), x.end()) - x.begin(); }
long where(const int *x, int n) { return std::distance(x, std::min_element(x, x + n)); }
float largest_of(float a, float b, float c) { return std::max({a, b, c}); }
int least_of(int a, int b) { return std::min({a, b, 7}); }
float largest_by(const vector<float> &x) {
    return *std::max_element(x.begin(), x.end(), [](float a, float b) { return std::fabs(a) < std::fabs(b); });
}
void zeros(vector<float> &x) { std::fill(x.begin(), x.end(), 0.0f); }
void fill_pointer(float *x, int n, float v) { std::fill(x, x + n, v); }
void fill_some(int *x, int n) { std::fill_n(x, n, -1); }
void fill_bytes(uint8_t *x, int n, uint8_t v) { std::fill(x, x + n, v); }
vector<float> copied(const vector<float> &x) {
    vector<float> out(x.size());
    std::copy(x.begin(), x.end(), out.begin());
    return out;
}
void copy_pointer(const float *x, float *y, int n) { std::copy(x, x + n, y); }
void copy_some(const vector<int> &x, vector<int> &y, int n) { std::copy_n(x.begin(), n, y.begin()); }
vector<int> copy_back(const vector<int> &x) {
    vector<int> out;
    std::copy(x.begin(), x.end(), std::back_inserter(out));
    return out;
}
vector<int> positive(const vector<int> &x) {
    vector<int> out;
    std::copy_if(x.begin(), x.end(), std::back_inserter(out), [](int v) { return v > 0; });
    return out;
}
vector<int> counting(int n) {
    vector<int> out(n);
    std::iota(out.begin(), out.end(), 1);
    return out;
}
void counting_pointer(float *x, int n) { std::iota(x, x + n, 0.5f); }
float each(const vector<float> &x) {
    float s = 0;
    std::for_each(x.begin(), x.end(), [&](float v) { s += v * v; });
    return s;
}
void each_in_place(vector<float> &x, float k) {
    std::for_each(x.begin(), x.end(), [k](float &v) { v = v > k ? k : v; });
}
int equal_to(const vector<int> &x, int v) { return std::count(x.begin(), x.end(), v); }
long above(const float *x, int n, float t) {
    return std::count_if(x, x + n, [t](float v) { return v > t; });
}
bool all_positive(const vector<int> &x) {
    return std::all_of(x.begin(), x.end(), [](int v) { return v > 0; });
}
bool any_negative(const vector<int> &x) {
    return std::any_of(x.begin(), x.end(), [](int v) { return v < 0; });
}
bool none_zero(const int *x, int n) {
    return std::none_of(x, x + n, [](int v) { return v == 0; });
}
int found(const vector<int> &x, int v) { return std::find(x.begin(), x.end(), v) - x.begin(); }
bool same(const vector<int> &a, const vector<int> &b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
vector<float> prefix(const vector<float> &x) {
    vector<float> out(x.size());
    std::partial_sum(x.begin(), x.end(), out.begin());
    return out;
}
void prefix_pointer(const int *x, int *out, int n) { std::partial_sum(x, x + n, out); }
void differences(const int *x, int *out, int n) { std::adjacent_difference(x, x + n, out); }
void swapped(float *x, float *y, int n) {
    for (int i = 0; i < n; i++)
        std::swap(x[i], y[i]);
}
void swap_vector(vector<int> &x) {
    for (size_t i = 0; i + 1 < x.size(); i += 2)
        std::swap(x[i], x[i + 1]);
}
void reverse_it(vector<float> &x) { std::reverse(x.begin(), x.end()); }
void reverse_pointer(int *x, int n) { std::reverse(x, x + n); }
void reverse_copy(const vector<float> &x, vector<float> &y) { std::reverse_copy(x.begin(), x.end(), y.begin()); }
vector<float> clamped(const vector<float> &x, float lo, float hi) {
    vector<float> out(x.size());
    for (size_t i = 0; i < x.size(); i++)
        out[i] = std::clamp(x[i], lo, hi);
    return out;
}
void clamp_all(vector<float> &x) {
    for (auto &v : x)
        v = std::clamp(v, 0.0f, 1.0f);
}
void math(const vector<float> &x, vector<float> &y) {
    for (size_t i = 0; i < x.size(); ++i)
        y[i] = std::sqrt(std::abs(x[i])) + std::exp(x[i]) * std::tanh(x[i]) + std::fabs(std::sin(x[i]));
}
double math_double(double x) { return std::pow(x, 2.0) + std::log(x + 1) + std::floor(x) + std::hypot(x, 1.0); }
float math_power(float x) { return std::pow(x, 2.0f) + std::pow(x, 3); }
int absolute(int x) { return std::abs(x) + (int)std::abs((long)x); }
float limit(const vector<float> &x) {
    float best = std::numeric_limits<float>::lowest();
    for (float v : x)
        best = std::max(best, v);
    return best;
}
int limit_int(const vector<int> &x) {
    int best = std::numeric_limits<int>::max();
    for (int v : x)
        best = std::min(best, v);
    return best;
}
float norm(const vector<float> &x) {
    return std::sqrt(std::inner_product(std::begin(x), std::end(x), std::begin(x), 0.0f));
}
float mean(const vector<float> &x) { return std::accumulate(x.begin(), x.end(), 0.f) / x.size(); }
vector<float> softmax(const vector<float> &x) {
    float top = *std::max_element(x.begin(), x.end());
    vector<float> e(x.size());
    std::transform(x.begin(), x.end(), e.begin(), [top](float v) { return std::exp(v - top); });
    float sum = std::accumulate(e.begin(), e.end(), 0.0f);
    for (auto &v : e)
        v /= sum;
    return e;
}
float reduced(const vector<float> &x) { return std::reduce(x.begin(), x.end(), 0.0f); }
float transform_reduced(const vector<float> &a, const vector<float> &b) {
    return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0f);
}
vector<int> replaced(vector<int> x) {
    std::replace(x.begin(), x.end(), 0, 1);
    return x;
}
void generated(vector<int> &x) {
    int k = 0;
    std::generate(x.begin(), x.end(), [&k] { return k++ * 2; });
}
int rows(const vector<vector<int>> &a) {
    return std::accumulate(a.begin(), a.end(), 0, [](int s, const vector<int> &row) {
        return s + std::accumulate(row.begin(), row.end(), 0);
    });
}
vector<int> row_sums(const vector<vector<int>> &a) {
    vector<int> out(a.size());
    std::transform(a.begin(), a.end(), out.begin(), [](const vector<int> &row) { return std::accumulate(row.begin(), row.end(), 0); });
    return out;
}
std::pair<float, float> ends(const vector<float> &x) {
    auto [lo, hi] = std::minmax_element(x.begin(), x.end());
    return {*lo, *hi};
}
void strided(const float *x, float *y, int n, int m) {
    for (int i = 0; i < n; i++)
        std::copy(x + i * m, x + (i + 1) * m, y + i * m);
}
void middle(vector<float> &x) { std::fill(x.begin() + 1, x.end() - 1, 0.0f); }
float window(const vector<float> &x, int a, int b) { return std::accumulate(x.begin() + a, x.begin() + b, 0.0f); }
void sorted(vector<float> &x) { std::sort(x.begin(), x.end()); }
void falling(vector<int> &x) { std::sort(x.begin(), x.end(), std::greater<int>()); }
void falling_bytes(vector<uint8_t> &x) { std::stable_sort(x.begin(), x.end(), std::greater<>()); }
void sorted_inside(vector<int> &x) {
    if (x.size() > 2)
        std::sort(x.begin() + 1, x.end() - 1);
}
void sorted_pointer(uint32_t *x, int n) { std::sort(x, x + n); }
