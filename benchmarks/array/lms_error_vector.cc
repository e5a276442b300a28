#include <cmath>
#include <cstddef>
#include <vector>

/* the desired value less the filter's output */
float lms_error(const std::vector<float> &c, const std::vector<float> &x, float desired) {
    float y = 0.0f;
    for (std::size_t i = 0; i < c.size(); i++) {
        y += c[i] * x[i];
    }
    return desired - y;
}
