#include <vector>

/* a * b */
std::vector<float> vector_mul(const std::vector<float> &a, const std::vector<float> &b) {
    std::vector<float> out;
    for (int i = 0; i < (int)a.size(); i++) {
        out.push_back(a[i] * b[i]);
    }
    return out;
}
