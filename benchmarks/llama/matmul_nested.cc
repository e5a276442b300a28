#include <vector>

std::vector<float> matmul(const std::vector<std::vector<float>> &weight, const std::vector<float> &input) {
    std::vector<float> output;
    int m = weight.size();
    int n = input.size();
    for (int row = 0; row < m; row++) {
        float curr = 0;
        for (int col = 0; col < n; col++) {
            curr += weight[row][col] * input[col];
        }
        output.push_back(curr);
    }
    return output;
}
