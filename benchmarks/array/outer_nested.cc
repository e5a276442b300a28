#include <vector>

/* the outer product of x and y */
std::vector<std::vector<float>> outer(const std::vector<float> &x, const std::vector<float> &y) {
    std::vector<std::vector<float>> out;
    for (float xi : x) {
        std::vector<float> row;
        for (float yj : y) {
            row.push_back(xi * yj);
        }
        out.push_back(row);
    }
    return out;
}
