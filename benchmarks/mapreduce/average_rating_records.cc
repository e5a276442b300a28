#include <unordered_map>
#include <vector>

struct Rating {
    long film;
    long viewer;
    unsigned char stars;
};

std::unordered_map<long, double> average_rating(const std::vector<Rating> &ratings) {
    std::unordered_map<long, double> total;
    std::unordered_map<long, int> count;
    for (const auto &rating : ratings) {
        total[rating.film] += rating.stars;
        count[rating.film]++;
    }
    std::unordered_map<long, double> average;
    for (const auto &entry : total)
        average[entry.first] = entry.second / count[entry.first];
    return average;
}
