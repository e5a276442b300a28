#include <cmath>
#include <vector>

std::vector<int> kmeans_assign(const std::vector<double>& points, double left, double right) {
    std::vector<int> nearest;
    for (double point : points) {
        nearest.push_back(std::fabs(point - left) <= std::fabs(point - right) ? 0 : 1);
    }
    return nearest;
}
