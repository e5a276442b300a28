#include <vector>

/* lighten: the larger pixel */
std::vector<std::vector<int>> lighten(const std::vector<std::vector<int>> &base, const std::vector<std::vector<int>> &active) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_vec;
        for (int col = 0; col < n; col++) {
            int pixel;
            if (base[row][col] < active[row][col])
                pixel = active[row][col];
            else
                pixel = base[row][col];
            row_vec.push_back(pixel);
        }
        out.push_back(row_vec);
    }
    return out;
}
