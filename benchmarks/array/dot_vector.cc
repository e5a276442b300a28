#include <cstddef>
#include <vector>

float dot(const std::vector<float> &a, const std::vector<float> &b) {
    float result = 0.0f;
    for (std::size_t i = 0; i < a.size(); ++i) {
        result += a[i] * b[i];
    }
    return result;
}
