#include <cstddef>
#include <vector>

/* result has one element less than data */
std::vector<int> sliding_sum(const std::vector<int> &data) {
    std::vector<int> result;
    for (std::size_t i = 0; i + 1 < data.size(); i++) {
        result.push_back(data[i] + data[i + 1]);
    }
    return result;
}
