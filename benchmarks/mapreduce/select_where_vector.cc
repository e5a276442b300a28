#include <cstddef>
#include <utility>
#include <vector>

std::pair<int, double> select_where(const std::vector<int>& ages, const std::vector<double>& scores, int least) {
    int count = 0;
    double total = 0;
    for (std::size_t i = 0; i < ages.size(); i++) {
        if (ages[i] >= least) {
            count++;
            total += scores[i];
        }
    }
    return {count, total};
}
