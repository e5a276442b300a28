#include <vector>

/* color burn: 255 where a == 0, otherwise 255 - (255 - b) / a */
std::vector<std::vector<int>> color_burn(const std::vector<std::vector<int>> &base, const std::vector<std::vector<int>> &active) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_vec;
        for (int col = 0; col < n; col++) {
            int pixel;
            if (active[row][col] == 0)
                pixel = 255;
            else
                pixel = 255 - (255 - base[row][col]) / active[row][col];
            row_vec.push_back(pixel);
        }
        out.push_back(row_vec);
    }
    return out;
}
