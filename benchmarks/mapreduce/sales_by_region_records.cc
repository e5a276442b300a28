#include <map>
#include <vector>

struct Sale {
    int region;
    short product;
    double amount;
};

std::map<int, double> sales_by_region(const std::vector<Sale> &sales) {
    std::map<int, double> totals;
    for (const Sale &sale : sales)
        totals[sale.region] += sale.amount;
    return totals;
}
