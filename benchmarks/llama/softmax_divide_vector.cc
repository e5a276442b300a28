#include <vector>

/* softmax, last step: each exponential as a share of their sum */
std::vector<float> softmax_divide(const std::vector<float> &unnormalized, int max_pos, float sum) {
    std::vector<float> output;
    for (int i = 0; i < max_pos; i++)
        output.push_back(unnormalized[i] / sum);
    return output;
}
