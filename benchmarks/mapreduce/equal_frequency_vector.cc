#include <vector>

bool equal_frequency(const std::vector<int> &values, int first, int second) {
    int ones = 0, others = 0;
    for (int value : values) {
        if (value == first)
            ones++;
        if (value == second)
            others++;
    }
    return ones == others;
}
