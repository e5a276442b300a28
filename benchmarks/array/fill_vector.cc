#include <cstddef>
#include <vector>

/* a = value */
void fill(std::vector<int> &a, int value) {
    for (auto &v : a) {
        v = value;
    }
}
