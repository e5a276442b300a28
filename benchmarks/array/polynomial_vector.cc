#include <vector>

/* each x by a polynomial of degree 3 */
std::vector<float> polynomial(const std::vector<float> &x, float a, float b, float c, float d) {
    std::vector<float> y;
    for (float v : x) {
        y.push_back(a * v * v * v + b * v * v + c * v + d);
    }
    return y;
}
