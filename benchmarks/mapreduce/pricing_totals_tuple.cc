#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

struct LineItem {
    double quantity, extended_price, discount;
    std::string return_flag, line_status;
    int ship_date;
};

using Key = std::pair<std::string, std::string>;

std::map<Key, std::tuple<double, double, double, int>> pricing_totals(const std::vector<LineItem>& items, int last_date) {
    std::map<Key, std::tuple<double, double, double, int>> groups;
    for (const auto& item : items) {
        if (item.ship_date > last_date)
            continue;
        auto& group = groups[{item.return_flag, item.line_status}];
        std::get<0>(group) += item.quantity;
        std::get<1>(group) += item.extended_price;
        std::get<2>(group) += item.extended_price * (1 - item.discount);
        std::get<3>(group)++;
    }
    return groups;
}
