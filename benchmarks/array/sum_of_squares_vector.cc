#include <cmath>
#include <cstddef>
#include <vector>

/* the sum of squares */
float sum_of_squares(const std::vector<float> &a) {
    float sum = 0.0f;
    for (const float &v : a) {
        sum += v * v;
    }
    return sum;
}
