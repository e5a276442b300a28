#include <vector>

/* what one head gives: the values up to a position, weighted by their attention */
std::vector<float> attention_output(int token_position, int head, int head_size,
                                    const std::vector<std::vector<float>> &value_cache, const std::vector<float> &attention) {
    std::vector<float> xb;
    for (int i = 0; i < head_size; i++) {
        float sum = 0;
        for (int timestep = 0; timestep <= token_position; timestep++) {
            sum += attention[timestep] * value_cache[timestep][head * head_size + i];
        }
        xb.push_back(sum);
    }
    return xb;
}
