#include <cstddef>
#include <vector>

/* a + 1, in place */
void increment(std::vector<int> &a) {
    for (int i = 0; i < (int)a.size(); i++) {
        a[i]++;
    }
}
