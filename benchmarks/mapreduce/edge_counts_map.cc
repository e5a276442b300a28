#include <map>
#include <utility>
#include <vector>

std::map<std::pair<int, int>, int> edge_counts(const std::vector<std::pair<int, int>> &edges) {
    std::map<std::pair<int, int>, int> counts;
    for (const auto &edge : edges)
        counts[edge]++;
    return counts;
}
