#include <cstddef>
#include <vector>

/* a += s */
void add_scalar(std::vector<float> &a, float s) {
    for (std::size_t i = 0; i != a.size(); ++i) {
        a[i] += s;
    }
}
