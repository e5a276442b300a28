#include <vector>

/* the first half of rmsnorm: the sum of squares */
float rmsnorm_squares(const std::vector<float> &x) {
    float ss = 0;
    for (auto v : x)
        ss += v * v;
    return ss;
}
