#include <vector>

int sum_above(const std::vector<int> &values, int limit) {
    int total = 0;
    for (int value : values)
        if (value > limit)
            total += value;
    return total;
}
