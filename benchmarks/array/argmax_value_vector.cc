#include <cstddef>
#include <utility>
#include <vector>

/* the first place of the greatest element, and the element */
std::pair<std::size_t, float> argmax_value(const std::vector<float> &x) {
    std::size_t at = 0;
    float best = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) {
        if (x[i] > best) {
            best = x[i];
            at = i;
        }
    }
    return {at, best};
}
