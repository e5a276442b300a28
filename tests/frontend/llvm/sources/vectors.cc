// std::vector in and out. The extern "C" wrappers are for running the functions natively, see test_kernels.py.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

using std::vector;

vector<int> pairwise_max(const vector<int> &a, vector<int> b) {
    vector<int> out;
    for (size_t i = 0; i < a.size() && i < b.size(); i++)
        out.push_back(std::max(std::min(a[i], 1000), b[i] / 2));
    return out;
}

vector<int> scaled(const vector<int> &a, int s) {
    vector<int> out(a.size());
    for (size_t i = 0; i < a.size(); i++)
        out[i] = a[i] / 3 + s % 5;
    return out;
}

vector<int> filled(const vector<int> &a, int s) {
    vector<int> out(a.size() + 2, s % 100);
    for (size_t i = 0; i < a.size(); i++)
        out[i + 1] -= a[i] % 100;
    return out;
}

vector<int> positives(const vector<int> &a, int s) {
    vector<int> out;
    out.reserve(a.size());
    for (int x : a)
        if (x > s)
            out.push_back(x);
    return out;
}

vector<int> until_zero(const vector<int> &a, int) {
    vector<int> out;
    if (a.empty())
        return out;
    for (int x : a) {
        if (x == 0)
            return out;
        out.push_back(x);
    }
    return out;
}

vector<int> by_value(vector<int> a, int s) {
    for (auto &x : a)
        x = x % 7 + (s & 3);
    return a;
}

vector<int> reversed(const vector<int> &a, int) {
    vector<int> out;
    for (int i = (int)a.size() - 1; i >= 0; i--)
        out.push_back(a[i]);
    return out;
}

vector<int> copied(const vector<int> &a, int s) {
    vector<int> out = a;
    out.push_back(s);
    for (auto it = out.begin(); it != out.end(); ++it)
        *it &= 255;
    return out;
}

vector<int> through_helper(const vector<int> &a, int s) { return scaled(a, s); }

vector<int> from_range(const vector<int> &a, int) {
    vector<int> out(a.begin(), a.end());
    if (out.size() > 2)
        out.pop_back();
    out.resize(4, 9);
    return out;
}

int total(const vector<int> &a, int s) {
    int sum = std::accumulate(a.begin(), a.end(), 0u);
    auto add = [&](int x) { sum = (sum ^ x) & 65535; };
    for (int x : a)
        add(x);
    return sum + std::abs(s % 1000) + std::clamp(s, 0, 255);
}

int ends(const vector<int> &a, int s) { return (a.front() & 15) + (a.back() & 15) + (a.at(0) == s); }

template <class T> static vector<int> run(T function, const int *p, int n, int s) { return function(vector<int>(p, p + n), s); }

#define WRAP(name)                                                                                                               \
    extern "C" int native_##name(const int *p, int n, int s, int *out) {                                                        \
        auto result = run(name, p, n, s);                                                                                        \
        std::copy(result.begin(), result.end(), out);                                                                            \
        return (int)result.size();                                                                                               \
    }
WRAP(scaled)
WRAP(filled)
WRAP(positives)
WRAP(until_zero)
WRAP(by_value)
WRAP(reversed)
WRAP(copied)
WRAP(through_helper)
WRAP(from_range)

extern "C" int native_pairwise_max(const int *p, int n, int s, int *out) {
    auto result = pairwise_max(vector<int>(p, p + n), vector<int>(n / 2, s));
    std::copy(result.begin(), result.end(), out);
    return (int)result.size();
}

extern "C" int native_total(const int *p, int n, int s, int *) { return total(vector<int>(p, p + n), s); }
extern "C" int native_ends(const int *p, int n, int s, int *) { return ends(vector<int>(p, p + n), s); }
