#include <cmath>
#include <vector>

/* the second half of rmsnorm: each element by its weight and the root of the mean square */
std::vector<float> rmsnorm_scale(const std::vector<float> &x, const std::vector<float> &weight, float ss) {
    std::vector<float> output;
    int size = x.size();
    float inv_ss = 1 / std::sqrt(ss / size + 1e-5f);
    for (int i = 0; i < size; i++) {
        output.push_back(inv_ss * x[i] * weight[i]);
    }
    return output;
}
