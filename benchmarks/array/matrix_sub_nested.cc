#include <vector>

/* a - b */
std::vector<std::vector<int>> matrix_sub(const std::vector<std::vector<int>> &a, const std::vector<std::vector<int>> &b) {
    std::vector<std::vector<int>> c(a.size(), std::vector<int>(a[0].size()));
    for (int i = 0; i < (int)a.size(); i++)
        for (int j = 0; j < (int)a[0].size(); j++)
            c[i][j] = a[i][j] - b[i][j];
    return c;
}
