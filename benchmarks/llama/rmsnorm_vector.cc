#include <cmath>
#include <vector>

std::vector<float> rmsnorm(const std::vector<float> &x, const std::vector<float> &weight) {
    float ss = 0.0f;
    for (float v : x) {
        ss += v * v;
    }
    ss = 1.0f / std::sqrt(ss / x.size() + 1e-5f);
    std::vector<float> o;
    o.reserve(x.size());
    for (size_t j = 0; j < x.size(); j++) {
        o.push_back(weight[j] * (ss * x[j]));
    }
    return o;
}
