#include <cstddef>
#include <vector>

double sum_of_squares(const std::vector<double>& x)
{
    double s = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        s += x[i] * x[i];
    return s;
}

double sum_of_squares_ranged(const std::vector<double>& x)
{
    double s = 0;
    for (double v : x)
        s += v * v;
    return s;
}

double sum_of_squares_iterators(const std::vector<double>& x)
{
    double s = 0;
    for (auto it = x.begin() + 1; it < x.end(); ++it)
        s += *it * *it;
    return s;
}
