#include <unordered_map>
#include <vector>

std::unordered_map<int, int> top_pages(const std::vector<int>& pages, int least) {
    std::unordered_map<int, int> visits, top;
    for (int page : pages) {
        visits[page]++;
    }
    for (const auto& [page, count] : visits) {
        if (count >= least) {
            top[page] = count;
        }
    }
    return top;
}
