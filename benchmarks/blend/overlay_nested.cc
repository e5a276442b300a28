#include <vector>

/* overlay: multiply or screen, by the base */
std::vector<std::vector<int>> overlay(const std::vector<std::vector<int>> &base, const std::vector<std::vector<int>> &active) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_vec;
        for (int col = 0; col < n; col++) {
            int pixel;
            if (base[row][col] >= 128)
                pixel = 2 * base[row][col] + base[row][col] - 2 * base[row][col] * base[row][col] / 255 - 255;
            else
                pixel = 2 * base[row][col] * base[row][col] / 255;
            row_vec.push_back(pixel);
        }
        out.push_back(row_vec);
    }
    return out;
}
