#include <cstdint>
#include <vector>

/* floats of int8, each with its group's scale */
std::vector<float> dequantize(const std::vector<int8_t> &q, const std::vector<float> &s, int group_size) {
    std::vector<float> x;
    for (int i = 0; i < (int)q.size(); i++) {
        x.push_back(q[i] * s[i / group_size]);
    }
    return x;
}
