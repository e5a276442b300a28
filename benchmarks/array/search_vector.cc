#include <cmath>
#include <cstddef>
#include <vector>

/* the first place of a value, -1 if it is not there */
int search(const std::vector<int> &a, int value) {
    for (std::size_t i = 0; i < a.size(); i++) {
        if (a[i] == value) {
            return static_cast<int>(i);
        }
    }
    return -1;
}
