#include <vector>

std::vector<double> standardised(const std::vector<double> &values, double mean, double deviation) {
    std::vector<double> result;
    for (double value : values)
        result.push_back((value - mean) / deviation);
    return result;
}
