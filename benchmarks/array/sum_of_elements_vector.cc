#include <numeric>
#include <vector>

double sum_of_elements(const std::vector<double> &values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}
