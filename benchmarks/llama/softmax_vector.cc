#include <cmath>
#include <cstddef>
#include <vector>

void softmax(std::vector<float> &x) {
    float max_val = x[0];
    for (std::size_t i = 1; i < x.size(); i++) {
        if (x[i] > max_val) {
            max_val = x[i];
        }
    }
    float sum = 0.0f;
    for (auto &v : x) {
        v = std::exp(v - max_val);
        sum += v;
    }
    for (auto &v : x) {
        v /= sum;
    }
}
