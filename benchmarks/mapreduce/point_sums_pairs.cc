#include <tuple>
#include <utility>
#include <vector>

std::tuple<double, double, double, double, double> point_sums(const std::vector<std::pair<double, double>> &points) {
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (const auto &[x, y] : points) {
        sx += x;
        sy += y;
        sxx += x * x;
        syy += y * y;
        sxy += x * y;
    }
    return {sx, sy, sxx, syy, sxy};
}
