#include <cstddef>
#include <vector>

/* a cubed, in place */
void cube(std::vector<int> &a) {
    for (int &v : a) {
        v = v * v * v;
    }
}
