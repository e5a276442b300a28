#include <vector>

double covariance(const std::vector<double> &x, const std::vector<double> &y) {
    double both = 0, xs = 0, ys = 0;
    int n = x.size();
    for (int i = 0; i < n; i++) {
        both += x[i] * y[i];
        xs += x[i];
        ys += y[i];
    }
    return both / n - (xs / n) * (ys / n);
}
