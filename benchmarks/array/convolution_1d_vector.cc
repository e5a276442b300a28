#include <vector>

/* 1-D convolution over all positions where the kernel fits */
std::vector<float> convolution_1d(const std::vector<float> &x, const std::vector<float> &w) {
    std::vector<float> y;
    int n = x.size();
    int k = w.size();
    for (int i = 0; i + k <= n; i++) {
        float sum = 0;
        for (int j = 0; j < k; j++) {
            sum += x[i + j] * w[j];
        }
        y.push_back(sum);
    }
    return y;
}
