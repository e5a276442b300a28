#include <vector>

bool all_positive(const std::vector<int> &values) {
    for (int value : values)
        if (value <= 0)
            return false;
    return true;
}
