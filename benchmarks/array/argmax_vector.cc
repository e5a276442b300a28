#include <cstddef>
#include <vector>

/* the first place of the greatest element */
std::size_t argmax(const std::vector<float> &x) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
        if (x[i] > x[best]) {
            best = i;
        }
    }
    return best;
}
