#include <vector>

int count_above(const std::vector<int> &values, int limit) {
    int n = 0;
    for (int value : values)
        if (value > limit)
            n++;
    return n;
}
