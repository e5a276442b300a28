#include <cmath>
#include <cstddef>
#include <vector>

/* d = c + a*b */
std::vector<int> real_updates(const std::vector<int> &a, const std::vector<int> &b, const std::vector<int> &c) {
    std::vector<int> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out.push_back(c[i] + a[i] * b[i]);
    }
    return out;
}
