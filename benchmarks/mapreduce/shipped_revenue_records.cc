#include <vector>

struct Item {
    double quantity;
    double price;
    double discount;
    int shipped;
};

double shipped_revenue(const std::vector<Item> &items, int first, int last) {
    double revenue = 0;
    for (const Item &item : items)
        if (item.shipped >= first && item.shipped < last && item.discount >= 0.05 && item.discount <= 0.07 &&
            item.quantity < 24)
            revenue += item.price * item.discount;
    return revenue;
}
