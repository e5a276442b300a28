#include <vector>

/* one output of a small FIR filter */
float fir(const std::vector<float> &input, const std::vector<float> &coefficient) {
    int taps = coefficient.size();
    float sum = 0;
    for (int i = 0; i < taps; ++i) {
        sum += input[i] * coefficient[taps - 1 - i];
    }
    return sum;
}
