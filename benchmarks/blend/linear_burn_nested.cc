#include <vector>

/* linear burn: a + b - 255 */
std::vector<std::vector<int>> linear_burn(const std::vector<std::vector<int>> &base, const std::vector<std::vector<int>> &active) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_vec;
        for (int col = 0; col < n; col++) {
            row_vec.push_back(base[row][col] + active[row][col] - 255);
        }
        out.push_back(row_vec);
    }
    return out;
}
