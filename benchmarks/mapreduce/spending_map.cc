#include <map>
#include <string>
#include <utility>
#include <vector>

struct Purchase {
    std::string customer;
    std::string shop;
    int year;
    double amount;
};

std::map<std::pair<std::string, int>, double> spending(const std::vector<Purchase> &purchases, const std::string &excluded) {
    std::map<std::pair<std::string, int>, double> totals;
    for (const Purchase &purchase : purchases) {
        if (purchase.shop == excluded || purchase.customer.empty())
            continue;
        totals[{purchase.customer, purchase.year}] += purchase.amount;
    }
    return totals;
}
