#include <algorithm>
#include <functional>
#include <vector>

void residual_add(std::vector<float> &x, const std::vector<float> &delta) {
    std::transform(x.begin(), x.end(), delta.begin(), x.begin(), std::plus<float>());
}
