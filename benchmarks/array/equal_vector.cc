#include <cmath>
#include <cstddef>
#include <vector>

/* whether two arrays of one length have the same elements */
bool equal(const std::vector<float> &a, const std::vector<float> &b) {
    for (std::size_t i = 0; i < a.size(); i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}
