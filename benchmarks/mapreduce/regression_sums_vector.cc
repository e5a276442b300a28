#include <tuple>
#include <vector>

std::tuple<double, double, double, double, double> regression_sums(const std::vector<double> &x, const std::vector<double> &y) {
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (std::size_t i = 0; i < x.size(); i++) {
        sx += x[i];
        sy += y[i];
        sxx += x[i] * x[i];
        syy += y[i] * y[i];
        sxy += x[i] * y[i];
    }
    return {sx, sy, sxx, syy, sxy};
}
