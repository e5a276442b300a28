#include <cmath>
#include <cstddef>
#include <vector>

/* the Euclidean length */
float length(const std::vector<float> &v) {
    float squares = 0.0f;
    for (std::size_t i = 0; i < v.size(); ++i) {
        squares += v[i] * v[i];
    }
    return std::sqrt(squares);
}
