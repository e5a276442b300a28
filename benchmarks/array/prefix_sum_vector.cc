#include <vector>

/* sums up to each element */
std::vector<int> prefix_sum(const std::vector<int> &x) {
    std::vector<int> out;
    int sum = 0;
    for (int v : x) {
        sum += v;
        out.push_back(sum);
    }
    return out;
}
