#include <cstddef>
#include <vector>

/* the greatest fall of the equity from an earlier peak */
double drawdown(const std::vector<double> &equity) {
    if (equity.empty()) {
        return 0.0;
    }
    double peak = equity[0];
    double worst = 0.0;
    for (std::size_t i = 1; i < equity.size(); i++) {
        if (equity[i] > peak) {
            peak = equity[i];
        } else if (peak - equity[i] > worst) {
            worst = peak - equity[i];
        }
    }
    return worst;
}
