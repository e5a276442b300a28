#include <vector>

bool contains(const std::vector<int> &values, int key) {
    bool found = false;
    for (int value : values)
        found = found || value == key;
    return found;
}
