#include <algorithm>
#include <vector>

void tiled_scale(std::vector<float> &x, float a) {
    const int n = static_cast<int>(x.size());
    for (int start = 0; start < n; start += 32) {
        for (int i = start; i < std::min(start + 32, n); ++i) {
            x[i] *= a;
        }
    }
}
