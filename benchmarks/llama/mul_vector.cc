#include <vector>

std::vector<float> mul(const std::vector<float> &a, const std::vector<float> &b) {
    std::vector<float> out;
    for (unsigned i = 0; i < a.size(); i++) {
        out.push_back(a[i] * b[i]);
    }
    return out;
}
