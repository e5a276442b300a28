#include <cmath>
#include <vector>

std::vector<float> attention_score(int token_position, int head, int head_size,
                                   const std::vector<std::vector<float>> &key_cache, const std::vector<float> &q) {
    std::vector<float> attention;
    for (int timestep = 0; timestep <= token_position; timestep++) {
        float score = 0;
        for (int i = 0; i < head_size; ++i) {
            score += q[head * head_size + i] * key_cache[timestep][head * head_size + i];
        }
        score /= std::sqrt(static_cast<float>(head_size));
        attention.push_back(score);
    }
    return attention;
}
