#include <algorithm>
#include <cmath>
#include <vector>

/* European call on a trinomial tree (Boyle): up, level or down in each step */
double trinomial_tree(double spot, double strike, double rate, double sigma, double years, int steps) {
    const double dt = years / steps;
    const double up = std::exp(sigma * std::sqrt(2.0 * dt));
    const double a = std::exp(0.5 * rate * dt);
    const double b = std::exp(sigma * std::sqrt(0.5 * dt));
    const double pu = std::pow((a - 1.0 / b) / (b - 1.0 / b), 2.0);
    const double pd = std::pow((b - a) / (b - 1.0 / b), 2.0);
    const double pm = 1.0 - pu - pd;
    const double disc = std::exp(-rate * dt);

    std::vector<double> value(2 * steps + 1);
    for (int i = 0; i <= 2 * steps; i++) {
        value[i] = std::max(0.0, spot * std::pow(up, i - steps) - strike);
    }
    for (int t = steps - 1; t >= 0; t--) {
        for (int i = 0; i <= 2 * t; i++) {
            value[i] = disc * (pd * value[i] + pm * value[i + 1] + pu * value[i + 2]);
        }
    }
    return value[0];
}
