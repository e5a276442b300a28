#include <vector>

std::vector<int> kept_above(const std::vector<int> &values, int limit) {
    std::vector<int> kept;
    for (int value : values)
        if (value > limit)
            kept.push_back(value);
    return kept;
}
