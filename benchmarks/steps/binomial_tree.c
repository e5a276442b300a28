#include <math.h>

/* American put on a binomial tree (Cox, Ross, Rubinstein); v holds steps + 1 values */
double binomial_tree(double spot, double strike, double rate, double sigma, double years, int steps, double *v) {
    double dt = years / steps;
    double up = exp(sigma * sqrt(dt));
    double down = 1.0 / up;
    double disc = exp(-rate * dt);
    double p = (exp(rate * dt) - down) / (up - down);
    int i, t;

    for (i = 0; i <= steps; i++) {
        double s = spot * pow(up, 2.0 * i - steps);
        v[i] = strike > s ? strike - s : 0.0;
    }
    for (t = steps - 1; t >= 0; t--) {
        for (i = 0; i <= t; i++) {
            double s = spot * pow(up, 2.0 * i - t);
            double hold = disc * (p * v[i + 1] + (1.0 - p) * v[i]);
            v[i] = strike - s > hold ? strike - s : hold;
        }
    }
    return v[0];
}
