#include <map>
#include <string>
#include <vector>

struct Sale {
    std::string region;
    double amount;
};

struct Totals {
    double sum = 0;
    int count = 0;
};

std::map<std::string, double> average_by_region(const std::vector<Sale>& sales) {
    std::map<std::string, Totals> totals;
    for (const Sale& sale : sales) {
        Totals& found = totals[sale.region];
        found.sum += sale.amount;
        found.count++;
    }
    std::map<std::string, double> averages;
    for (const auto& [region, found] : totals)
        averages[region] = found.sum / found.count;
    return averages;
}
