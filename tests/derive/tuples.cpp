// Results of several parts, and results that depend on the way that is taken.
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

// low_1 = fold(len(a), a[0], acc, begin1: min(acc, a[begin1]))
// high_1 = fold(len(a), a[0], acc, begin1: max(acc, a[begin1]))
// return (low_1, high_1)
// accesses a[0 .. max(1, len(a)) - 1]
std::pair<float, float> extremes(const std::vector<float> &a) {
    float low = a[0], high = a[0];
    for (float v : a) {
        if (v < low) low = v;
        if (v > high) high = v;
    }
    return {low, high};
}

// s_1 = fold(int(n), 0, acc, i: acc + a[i])
// q_1 = fold(int(n), 0, acc, i: acc + a[i] * a[i])
// return (s_1, q_1, n)
// accesses a[0 .. int(n) - 1]
std::tuple<float, float, int> moments(const float *a, int n) {
    float s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        q += a[i] * a[i];
    }
    return std::make_tuple(s, q, n);
}

// return (min(a, b), b if a < b else a + b)
std::pair<int, int> one_of_two(int a, int b) {
    if (a < b) return {a, b};
    return {b, a + b};
}

// return [2 * a[k.1] for k.1 < len(a)]
// accesses a[0 .. len(a) - 1]
std::vector<float> nothing_of_nothing(const std::vector<float> &a) {
    std::vector<float> out;
    if (a.empty()) return out;
    for (float v : a) out.push_back(2 * v);
    return out;
}
