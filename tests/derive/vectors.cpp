#include <vector>
#include <cmath>
#include <algorithm>
#include <cstdint>
using std::vector;
// return [tdiv(o * a[k.1] + (255 - o) * b[k.1], 255) for k.1 < len(b)]
// accesses b[0 .. len(b) - 1]
// accesses a[0 .. len(b) - 1]
vector<int> normal8(const vector<int> &b, const vector<int> &a, int o) {
    vector<int> out;
    for (size_t i = 0; i < b.size(); i++)
        out.push_back((o * a[i] + (255 - o) * b[i]) / 255);
    return out;
}

// return [o * a[k.1] + (255 - o) * b[k.1] for k.1 < len(b)]
// accesses b[0 .. len(b) - 1]
// accesses a[0 .. len(b) - 1]
vector<int> normal8b(vector<int> b, vector<int> a, int o) {
    vector<int> out;
    for (int i = 0; i < b.size(); ++i) {
        int v = o * a[i] + (255 - o) * b[i];
        out.push_back(v);
    }
    return out;
}

// s_1 = fold(len(x), 0, acc, begin1: acc + x[begin1])
// return s_1
// accesses x[0 .. len(x) - 1]
float sumv(const vector<float> &x) {
    float s = 0;
    for (float v : x)
        s += v;
    return s;
}

// s_1 = fold(len(x), 0, acc, it: acc + x[it])
// return s_1
// accesses x[0 .. len(x) - 1]
float sumi(const vector<float> &x) {
    float s = 0;
    for (auto it = x.begin(); it != x.end(); ++it)
        s += *it;
    return s;
}

// s_1 = fold(len(a), 0, acc, i: acc + a[i] * b[i])
// return s_1
// accesses a[0 .. len(a) - 1]
// accesses b[0 .. len(a) - 1]
float dotv(const vector<float> &a, const vector<float> &b) {
    float s = 0;
    for (size_t i = 0; i < a.size(); i++)
        s += a[i] * b[i];
    return s;
}

// return [x[k.2] * 2 for k.2 < len(x)]
// accesses x[0 .. len(x) - 1]
vector<float> sized(const vector<float> &x) {
    vector<float> y(x.size());
    for (size_t i = 0; i < x.size(); i++)
        y[i] = x[i] * 2;
    return y;
}

// x_1 = update(x, [begin1] = x[begin1] * s for begin1 < len(x))
// x := x_1
// accesses x[0 .. len(x) - 1]
void inplace(vector<float> &x, float s) {
    for (auto &v : x)
        v *= s;
}

// ss_1 = fold(len(x), 0, acc, i: acc + x[i] * x[i])
// ss_2 = 1 / sqrt(ss_1 / f32(len(x)) + 1e-05)
// return [w[k.1] * (ss_2 * x[k.1]) for k.1 < len(x)]
// accesses x[0 .. len(x) - 1]
// accesses w[0 .. len(x) - 1]
vector<float> rms(const vector<float> &x, const vector<float> &w) {
    float ss = 0;
    for (size_t i = 0; i < x.size(); i++)
        ss += x[i] * x[i];
    ss /= x.size();
    ss += 1e-5f;
    ss = 1.0f / std::sqrt(ss);
    vector<float> o;
    o.reserve(x.size());
    for (size_t i = 0; i < x.size(); i++)
        o.push_back(w[i] * (ss * x[i]));
    return o;
}

// m_1 = fold(len(x) - 1, x[0], acc, i: max(acc, x[i + 1]))
// return m_1
// accesses x[0 .. max(1, len(x)) - 1]
float vmax(const vector<float> &x) {
    float m = x[0];
    for (size_t i = 1; i < x.size(); i++)
        m = std::max(m, x[i]);
    return m;
}

// m_1 = fold(len(x) - 1, x[0], acc, i: max(acc, x[i + 1]))
// s_1 = fold(len(x), 0, acc, i: acc + exp(x[i] - m_1))
// return [exp(x[k.1] - m_1) / s_1 for k.1 < len(x)]
// accesses x[0 .. max(1, len(x)) - 1]
vector<float> smax(const vector<float> &x) {
    float m = x[0];
    for (size_t i = 1; i < x.size(); i++)
        if (x[i] > m)
            m = x[i];
    vector<float> e;
    float s = 0;
    for (size_t i = 0; i < x.size(); i++) {
        e.push_back(std::exp(x[i] - m));
        s += e[i];
    }
    vector<float> r;
    for (size_t i = 0; i < e.size(); i++)
        r.push_back(e[i] / s);
    return r;
}

// m_1 = fold(len(x) - 1, x[0], acc, i: max(acc, x[i + 1]))
// s_1 = fold(len(x), 0, acc, begin1: acc + exp(x[begin1] - m_1))
// return [exp(x[k.1] - m_1) / s_1 for k.1 < len(x)]
// accesses x[0 .. max(1, len(x)) - 1]
vector<float> smax2(const vector<float> &x) {
    float m = x[0];
    for (size_t i = 1; i < x.size(); i++)
        if (x[i] > m)
            m = x[i];
    vector<float> e;
    for (size_t i = 0; i < x.size(); i++)
        e.push_back(std::exp(x[i] - m));
    float s = 0;
    for (float v : e)
        s += v;
    for (auto &v : e)
        v /= s;
    return e;
}

// return [x[begin1] for begin1 < len(x) where 0 < x[begin1]]
// accesses x[0 .. len(x) - 1]
vector<float> filt(const vector<float> &x) {
    vector<float> r;
    for (float v : x)
        if (v > 0)
            r.push_back(v);
    return r;
}

