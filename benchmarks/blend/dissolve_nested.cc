#include <vector>

/* dissolve: the active pixel where the opacity reaches the random number's hundredth, else the base */
std::vector<std::vector<int>> dissolve(const std::vector<std::vector<int>> &base, const std::vector<std::vector<int>> &active,
                                       int opacity, int random) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_vec;
        for (int col = 0; col < n; col++) {
            int threshold = ((random % 100) + 1) / 100;
            int pixel;
            if (opacity - threshold >= 0)
                pixel = active[row][col];
            else
                pixel = base[row][col];
            row_vec.push_back(pixel);
        }
        out.push_back(row_vec);
    }
    return out;
}
