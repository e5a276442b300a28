#include <cstddef>
#include <tuple>
#include <vector>

std::tuple<double, double, double, double, double> pca(const std::vector<double>& xs, const std::vector<double>& ys) {
    int n = 0;
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < xs.size(); i++) {
        n++;
        x += xs[i];
        y += ys[i];
        xx += xs[i] * xs[i];
        xy += xs[i] * ys[i];
        yy += ys[i] * ys[i];
    }
    if (n == 0) {
        return {0, 0, 0, 0, 0};
    }
    return {x / n, y / n, xx / n - x / n * (x / n), xy / n - x / n * (y / n), yy / n - y / n * (y / n)};
}
