#include <algorithm>
#include <vector>

double least(const std::vector<double> &values) {
    double best = values[0];
    for (std::size_t i = 1; i < values.size(); i++)
        best = std::min(best, values[i]);
    return best;
}
