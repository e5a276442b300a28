#include <map>
#include <vector>

struct Item {
    char status;
    double price;
    double discount;
    double tax;
    int shipped;
};

std::map<char, double> charge_by_status(const std::vector<Item> &items, int cutoff) {
    std::map<char, double> charge;
    for (std::size_t i = 0; i < items.size(); i++) {
        const Item &item = items[i];
        if (item.shipped <= cutoff)
            charge[item.status] += item.price * (1 - item.discount) * (1 + item.tax);
    }
    return charge;
}
