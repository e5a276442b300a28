#include <tuple>
#include <vector>

std::tuple<double, double, double, double, double> pca(const std::vector<double> &xs, const std::vector<double> &ys) {
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    std::size_t n = xs.size();
    for (std::size_t i = 0; i < n; i++) {
        x += xs[i];
        y += ys[i];
        xx += xs[i] * xs[i];
        xy += xs[i] * ys[i];
        yy += ys[i] * ys[i];
    }
    double mx = x / n, my = y / n;
    return {mx, my, xx / n - mx * mx, xy / n - mx * my, yy / n - my * my};
}
