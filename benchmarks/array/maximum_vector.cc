#include <algorithm>
#include <cstddef>
#include <vector>

/* the largest element */
int maximum(const std::vector<int> &a) {
    int best = a[0];
    for (std::size_t i = 1; i < a.size(); ++i) {
        best = std::max(best, a[i]);
    }
    return best;
}
