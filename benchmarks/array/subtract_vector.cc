#include <cmath>
#include <cstddef>
#include <vector>

/* a - b */
std::vector<int> subtract(const std::vector<int> &a, const std::vector<int> &b) {
    std::vector<int> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out.push_back(a[i] - b[i]);
    }
    return out;
}
