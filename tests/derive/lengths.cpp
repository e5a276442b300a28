#include <cstddef>
#include <vector>

// return fold(len(a), 0:i32, acc, i: acc + (0 if a[i] == b[i] else 1)) if u64(len(a)) == u64(len(b)) else -1
// accesses a[0 .. len(a) - 1]
// accesses b[0 .. len(b) - 1]
int mismatches(const std::vector<int> &a, const std::vector<int> &b) {
    if (a.size() != b.size()) return -1;
    int count = 0;
    for (std::size_t i = 0; i < a.size(); i++)
        if (a[i] != b[i]) count++;
    return count;
}

// return 0.0:f64 if u64(len(w)) < u64(len(x)) else fold(len(x), 0, acc, i: acc + x[i] * w[i])
// accesses x[0 .. len(x) - 1]
// accesses w[0 .. len(w) - 1]
double weighted(const std::vector<double> &x, const std::vector<double> &w) {
    if (w.size() < x.size()) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i++) sum += x[i] * w[i];
    return sum;
}

// return 0 if len(v) == 0 else fold(len(v) - 1, v[0], acc, i: max(acc, v[i + 1]))
// accesses v[0 .. len(v) - 1]
int largest(const std::vector<int> &v) {
    if (v.empty()) return 0;
    int best = v[0];
    for (std::size_t i = 1; i < v.size(); i++)
        if (v[i] > best) best = v[i];
    return best;
}

// count_1 = fold(len(v), 0, acc, begin1: u32(int(acc) + 1) if 0 < v[begin1] else acc)
// return count_1
// accesses v[0 .. len(v) - 1]
unsigned positive(const std::vector<int> &v) {
    unsigned count = 0;
    for (int x : v)
        if (x > 0) count++;
    return count;
}

// count_1 = fold(int(n), 0, acc, i: acc + (1 if 0 < v[i] else 0))
// return count_1
// accesses v[0 .. int(n) - 1]
unsigned positive_of(const int *v, int n) {
    unsigned count = 0;
    for (int i = 0; i < n; i++)
        if (v[i] > 0) count++;
    return count;
}
