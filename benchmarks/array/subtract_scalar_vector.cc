#include <vector>

/* a -= s */
void subtract_scalar(std::vector<float> &a, float s) {
    for (auto &v : a) {
        v -= s;
    }
}
