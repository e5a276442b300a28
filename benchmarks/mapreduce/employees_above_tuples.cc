#include <tuple>
#include <vector>

std::vector<int> employees_above(const std::vector<std::tuple<int, short, float>> &employees, short department, float salary) {
    std::vector<int> found;
    for (const auto &employee : employees)
        if (std::get<1>(employee) == department && std::get<2>(employee) > salary)
            found.push_back(std::get<0>(employee));
    return found;
}
