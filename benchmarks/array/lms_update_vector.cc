#include <cstddef>
#include <vector>

/* the coefficients' update, over all but the last of them */
void lms_update(std::vector<float> &c, const std::vector<float> &x, float e) {
    for (std::size_t i = 0; i + 1 < c.size(); i++) {
        c[i] += x[i] * e;
    }
}
