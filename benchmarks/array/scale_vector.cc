#include <cstddef>
#include <vector>

/* a *= s */
void scale(std::vector<float> &a, float s) {
    for (float &v : a) {
        v *= s;
    }
}
