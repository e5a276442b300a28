#include <map>
#include <numeric>
#include <string>
#include <vector>

struct Visit {
    std::string page;
    double seconds;
};

std::map<std::string, double> mean_duration(const std::vector<Visit>& visits, double least) {
    std::map<std::string, std::vector<double>> durations;
    for (const auto& visit : visits)
        if (visit.seconds >= least)
            durations[visit.page].push_back(visit.seconds);
    std::map<std::string, double> means;
    for (const auto& [page, found] : durations)
        means[page] = std::accumulate(found.begin(), found.end(), 0.0) / found.size();
    return means;
}
