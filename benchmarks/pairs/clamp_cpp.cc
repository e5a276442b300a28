#include <algorithm>

void limit(int* x, int n, int lo, int hi)
{
    for (int i = 0; i < n; ++i)
        x[i] = std::min(std::max(x[i], lo), hi);
}

void limit_other_order(int* x, int n, int lo, int hi)
{
    for (int* p = x; p != x + n; ++p)
        *p = std::max(std::min(*p, hi), lo + 1);
}
