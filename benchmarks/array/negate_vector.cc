#include <cmath>
#include <cstddef>
#include <vector>

/* -a */
std::vector<int> negate(const std::vector<int> &a) {
    std::vector<int> out;
    for (int v : a) {
        out.push_back(-v);
    }
    return out;
}
