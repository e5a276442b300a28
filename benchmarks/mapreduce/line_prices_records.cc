#include <string>
#include <vector>

struct Line {
    std::string item;
    int quantity;
    double price;
    double discount;
};

struct Price {
    std::string item;
    double total;
};

std::vector<Price> line_prices(const std::vector<Line> &lines) {
    std::vector<Price> prices;
    for (const auto &line : lines)
        if (line.quantity > 0)
            prices.push_back(Price{line.item, line.quantity * line.price * (1 - line.discount)});
    return prices;
}
