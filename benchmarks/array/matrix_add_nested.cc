#include <vector>

/* a + b */
std::vector<std::vector<float>> matrix_add(const std::vector<std::vector<float>> &a,
                                           const std::vector<std::vector<float>> &b) {
    std::vector<std::vector<float>> out;
    for (int i = 0; i < (int)a.size(); i++) {
        std::vector<float> row;
        for (int j = 0; j < (int)a[i].size(); j++) {
            row.push_back(a[i][j] + b[i][j]);
        }
        out.push_back(row);
    }
    return out;
}
