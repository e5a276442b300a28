#include <vector>

int count(const std::vector<int> &values) {
    int n = 0;
    for (int value : values)
        n++;
    return n;
}
