#include <vector>

struct Order {
    int customer;
    bool closed;
    int days;
};

int late_orders(const std::vector<Order> &orders) {
    int late = 0;
    for (Order order : orders)
        if (!order.closed && order.days > 30)
            late++;
    return late;
}
