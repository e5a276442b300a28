#include <cstddef>
#include <vector>

/* a to the fourth, in place */
void fourth_power(std::vector<float> &a) {
    for (std::size_t i = 0; i < a.size(); i++) {
        a[i] = a[i] * a[i] * (a[i] * a[i]);
    }
}
