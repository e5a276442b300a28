#include <cstddef>
#include <vector>

/* a -= b */
void subtract_in_place(std::vector<float> &a, const std::vector<float> &b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] -= b[i];
    }
}
