#include <vector>

double variance(const std::vector<double> &values) {
    double total = 0, squares = 0;
    int n = 0;
    for (double value : values) {
        total += value;
        squares += value * value;
        n++;
    }
    return squares / n - (total / n) * (total / n);
}
