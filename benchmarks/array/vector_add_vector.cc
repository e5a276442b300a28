#include <cstddef>
#include <vector>

/* a + b */
std::vector<float> vector_add(const std::vector<float> &a, const std::vector<float> &b) {
    std::vector<float> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        out[i] = a[i] + b[i];
    }
    return out;
}
