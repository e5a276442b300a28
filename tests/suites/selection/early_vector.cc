// Loops over vectors that data end early.
#include <cstddef>
#include <vector>

int where(const std::vector<int> &x, int v) {
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] == v)
            return (int)i;
    return -1;
}

bool contains(const std::vector<float> &x, float v) {
    for (float e : x)
        if (e == v)
            return true;
    return false;
}

bool same(const std::vector<int> &a, const std::vector<int> &b) {
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); i++)
        if (a[i] != b[i])
            return false;
    return true;
}
