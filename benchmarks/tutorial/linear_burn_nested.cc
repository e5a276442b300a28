#include <vector>

std::vector<std::vector<int>> linear_burn(std::vector<std::vector<int>> base, std::vector<std::vector<int>> active) {
    std::vector<std::vector<int>> out;
    for (unsigned i = 0; i < base.size(); i++) {
        std::vector<int> row;
        for (unsigned j = 0; j < base[0].size(); j++) {
            row.push_back(base[i][j] + active[i][j] - 255);
        }
        out.push_back(row);
    }
    return out;
}
