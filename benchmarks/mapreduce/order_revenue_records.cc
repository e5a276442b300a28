#include <vector>

struct Order {
    int item;
    double amount;
};

struct Item {
    int id;
    double price;
};

double order_revenue(const std::vector<Order> &orders, const std::vector<Item> &items) {
    double total = 0;
    for (const Order &order : orders)
        for (const Item &item : items)
            if (order.item == item.id)
                total += order.amount * item.price;
    return total;
}
