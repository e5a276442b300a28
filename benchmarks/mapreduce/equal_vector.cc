#include <vector>

bool equal(const std::vector<int> &values) {
    int low = values[0], high = values[0];
    for (int value : values) {
        if (value < low)
            low = value;
        if (value > high)
            high = value;
    }
    return low == high;
}
