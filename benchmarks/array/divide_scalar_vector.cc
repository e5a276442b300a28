#include <cstddef>
#include <vector>

/* a /= s */
void divide_scalar(std::vector<float> &a, float s) {
    for (auto it = a.begin(); it != a.end(); ++it) {
        *it /= s;
    }
}
