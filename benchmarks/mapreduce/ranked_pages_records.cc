#include <string>
#include <utility>
#include <vector>

struct Visit {
    std::string page;
    int rank;
    int seconds;
};

std::vector<std::pair<std::string, int>> ranked_pages(const std::vector<Visit> &visits, int least) {
    std::vector<std::pair<std::string, int>> ranked;
    for (const Visit &visit : visits)
        if (visit.rank > least)
            ranked.push_back({visit.page, visit.rank});
    return ranked;
}
