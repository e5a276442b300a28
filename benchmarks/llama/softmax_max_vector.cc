#include <vector>

/* softmax, first step: the greatest score up to a position */
float softmax_max(const std::vector<float> &input, int max_pos) {
    float max_val = input[0];
    for (int i = 1; i < max_pos; i++)
        if (input[i] > max_val)
            max_val = input[i];
    return max_val;
}
