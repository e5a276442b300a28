#include <cmath>
#include <cstddef>
#include <vector>

void swiglu(std::vector<float> &hb, const std::vector<float> &hb2) {
    for (std::size_t i = 0; i < hb.size(); ++i) {
        const float val = hb[i];
        hb[i] = val / (1.0f + std::exp(-val)) * hb2[i];
    }
}
