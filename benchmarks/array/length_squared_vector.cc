#include <vector>

/* the squared length of a vector */
double length_squared(const std::vector<double> &v) {
    double out = 0;
    for (const double &x : v) {
        out += x * x;
    }
    return out;
}
