#include <cmath>
#include <vector>

double standard_error(const std::vector<double> &values, double mean) {
    double squares = 0;
    for (double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / values.size());
}
