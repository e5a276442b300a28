#include <cmath>
#include <cstddef>
#include <vector>

/* the mean */
float mean(const std::vector<float> &a) {
    float sum = 0.0f;
    for (float v : a) {
        sum += v;
    }
    return sum / a.size();
}
