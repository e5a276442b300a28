#include <cmath>
#include <vector>

std::vector<float> silu(const std::vector<float> &input) {
    std::vector<float> output(input.size());
    for (size_t i = 0; i < input.size(); i++) {
        output[i] = input[i] * (1 / (1 + std::exp(-input[i])));
    }
    return output;
}
