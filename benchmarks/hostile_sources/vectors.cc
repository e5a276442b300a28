#include <cstdint>
#include <cstddef>
#include <cmath>
#include <vector>
#include <algorithm>
#include <numeric>

// size() - 1 of an empty vector is 2^64 - 1 as a double, not -1
double last_index_double(const std::vector<int> &v) {
    return v.size() - 1;
}

// on an empty vector every non-negative k is <= size() - 1
int valid_index(const std::vector<int> &v, int k) {
    return k <= v.size() - 1;
}

// a negative k is converted to size_t and is not below size()
int below_size(const std::vector<double> &v, int k) {
    return k < v.size();
}

// accumulate with init 0 truncates every partial sum to int
double sum_int_init(const std::vector<double> &v) {
    return std::accumulate(v.begin(), v.end(), 0);
}

// int sum / size() is an unsigned 64-bit division
double mean_size_t(const std::vector<int> &v) {
    if (v.empty()) return 0;
    int s = 0;
    for (int x : v) s += x;
    return s / v.size();
}

// std::max<int> truncates the doubles before comparing
void clamp_low_int(std::vector<double> &v, double lo) {
    for (size_t i = 0; i < v.size(); i++) v[i] = std::max<int>(v[i], lo);
}

// std::max<unsigned> of a negative value and 0 is not 0: no rectification
void relu_unsigned(const std::vector<int> &v, std::vector<int64_t> &o) {
    o.resize(v.size());
    for (size_t i = 0; i < v.size(); i++) o[i] = std::max<unsigned>(v[i], 0);
}

// x is a copy: v does not change
int double_copies(std::vector<int> &v) {
    int s = 0;
    for (auto x : v) {
        x *= 2;
        s += x - 1;
    }
    return s;
}

// reference into the same vector: v[0] is 0 after the first iteration
void subtract_front(std::vector<int> &v) {
    for (auto &x : v) x -= v.front();
}

// auto s = 0 is an int: each product is truncated into it
double dot_auto(const std::vector<double> &a, const std::vector<double> &b) {
    auto s = 0;
    for (size_t i = 0; i < a.size() && i < b.size(); i++) s += a[i] * b[i];
    return s;
}

// auto s = v[0] is a byte and wraps
int sum_auto_byte(const std::vector<uint8_t> &v) {
    if (v.empty()) return 0;
    auto s = v[0];
    for (size_t i = 1; i < v.size(); i++) s += v[i];
    return s;
}

// auto d of two bytes is an int and may be negative
int sum_abs_auto(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b) {
    int s = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()); i++) {
        auto d = a[i] - b[i];
        s += d < 0 ? -d : d;
    }
    return s;
}

// i-- > 0 visits the last element first, then also index 0
int horner_back(const std::vector<int> &v) {
    int s = 0;
    for (auto i = v.size(); i-- > 0;) s = (s * 7 + v[i]) % 1000;
    return s;
}

// the bound is re-evaluated while push_back grows the vector
void grow_queue(std::vector<int> &v, int n) {
    for (int i = 0; i < (int)v.size() && (int)v.size() < n; i++) v.push_back(v[i] + 1);
}

// resize keeps old elements: only the new ones are 9
void pad_with_nine(std::vector<int> &v, int n) {
    if (n >= 0) v.resize(n, 9);
}

// resize does not clear: old contents of o are added to
void add_after_resize(const std::vector<int> &a, std::vector<int> &o) {
    o.resize(a.size());
    for (size_t i = 0; i < a.size(); i++) o[i] += a[i];
}

// the lambda captured k by value before it was changed
void scale_captured(std::vector<int> &v, int k) {
    auto f = [k](int x) { return x * k; };
    k = 0;
    for (auto &x : v) x = f(x) + k;
}

// the lambda takes int: doubles are truncated before they are squared
void square_trunc(std::vector<double> &v) {
    std::transform(v.begin(), v.end(), v.begin(), [](int x) { return x * x; });
}

// the first of equal maxima; index 0 for an empty vector where np.argmax raises
int index_of_max(const std::vector<int> &v) {
    return std::max_element(v.begin(), v.end()) - v.begin();
}

// partial_sum accumulates in the byte type and wraps, even into a wider output
void cumulate_bytes(const std::vector<uint8_t> &v, std::vector<int> &o) {
    o.resize(v.size());
    std::partial_sum(v.begin(), v.end(), o.begin());
}

// min with size_t(n) of a negative n takes the whole vector
int sum_first(const std::vector<int> &v, int n) {
    int s = 0;
    for (size_t i = 0; i < std::min(v.size(), (size_t)n); i++) s += v[i];
    return s;
}

// braces make a two-element list {n, 3}, not n threes
int sum_braced(int n) {
    std::vector<int> t{n, 3};
    return std::accumulate(t.begin(), t.end(), 0);
}

// size difference is unsigned: > 0 whenever the sizes differ
int longer(const std::vector<int> &a, const std::vector<int> &b) {
    return a.size() - b.size() > 0;
}

// w is a const view of the same v: it sees the writes
void decay_const_view(std::vector<int> &v) {
    const auto &w = v;
    for (size_t i = 1; i < v.size(); i++) v[i] = w[i] - w[i - 1];
}

// stateful lambda: the running value is carried from one call to the next
void running_max(std::vector<int> &v) {
    std::transform(v.begin(), v.end(), v.begin(), [m = 0](int x) mutable { m = std::max(m, x); return m; });
}
