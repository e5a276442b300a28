#include <cmath>
#include <vector>

/* softmax, second step: the exponential of each score's distance from the greatest */
std::vector<float> softmax_exp(const std::vector<float> &input, int max_pos, float max_val) {
    std::vector<float> output;
    for (int i = 0; i < max_pos; i++) {
        float cur = std::exp(input[i] - max_val);
        output.push_back(cur);
    }
    return output;
}
