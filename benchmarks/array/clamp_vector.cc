#include <cstddef>
#include <vector>

/* into [low, high] */
void clamp(std::vector<float> &x, float low, float high) {
    for (auto &v : x) {
        v = v < low ? low : (v > high ? high : v);
    }
}
