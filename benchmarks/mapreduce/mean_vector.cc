#include <vector>

double mean(const std::vector<double> &values) {
    double total = 0;
    int n = 0;
    for (double value : values) {
        total += value;
        n++;
    }
    return total / n;
}
