#include <vector>

/* softmax, third step: the sum of the exponentials */
float softmax_sum(const std::vector<float> &output, int max_pos) {
    float sum = 0;
    for (int i = 0; i < max_pos; i++)
        sum += output[i];
    return sum;
}
