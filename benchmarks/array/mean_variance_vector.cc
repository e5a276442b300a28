#include <utility>
#include <vector>

/* mean and variance from one pass */
std::pair<double, double> mean_variance(const std::vector<double> &x) {
    double sum = 0;
    double squares = 0;
    for (double v : x) {
        sum += v;
        squares += v * v;
    }
    double mean = sum / x.size();
    return {mean, squares / x.size() - mean * mean};
}
