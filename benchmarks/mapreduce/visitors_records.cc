#include <set>
#include <vector>

struct Visit {
    unsigned page;
    int visitor;
    int seconds;
};

std::set<int> visitors(const std::vector<Visit> &visits, unsigned page, int least) {
    std::set<int> seen;
    for (auto visit = visits.begin(); visit != visits.end(); ++visit)
        if (visit->page == page && visit->seconds >= least)
            seen.insert(visit->visitor);
    return seen;
}
