#include <map>
#include <vector>

struct Visit {
    int page;
    int seconds;
};

std::map<int, int> longest_visit(const std::vector<Visit> &visits) {
    std::map<int, int> longest;
    for (const Visit &visit : visits) {
        auto found = longest.find(visit.page);
        if (found == longest.end())
            longest[visit.page] = visit.seconds;
        else if (visit.seconds > found->second)
            found->second = visit.seconds;
    }
    return longest;
}
