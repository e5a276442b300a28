#include <algorithm>
#include <vector>

int delta(const std::vector<int> &values) {
    int low = values[0], high = values[0];
    for (std::size_t i = 1; i < values.size(); i++) {
        low = std::min(low, values[i]);
        high = std::max(high, values[i]);
    }
    return high - low;
}
