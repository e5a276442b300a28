#include <vector>

/* the sum of squares, the first half of RMSNorm */
float rmsnorm(std::vector<float> input) {
    float ss = 0;
    for (unsigned long i = 0; i < input.size(); ++i) {
        ss = ss + input[i] * input[i];
    }
    return ss;
}
