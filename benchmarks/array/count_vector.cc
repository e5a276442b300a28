#include <cmath>
#include <cstddef>
#include <vector>

/* how many elements are above a threshold */
int count(const std::vector<int> &a, int threshold) {
    int found = 0;
    for (int v : a) {
        if (v > threshold) {
            found++;
        }
    }
    return found;
}
