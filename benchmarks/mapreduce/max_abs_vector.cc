#include <algorithm>
#include <cstdlib>
#include <vector>

int max_abs(const std::vector<int> &values) {
    int best = 0;
    for (int value : values)
        best = std::max(best, std::abs(value));
    return best;
}
