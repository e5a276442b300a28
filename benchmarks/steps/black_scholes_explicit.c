#include <math.h>

/* European put on a grid of m + 1 prices i * ds, back in time by explicit differences; v and next hold m + 1 values each */
void black_scholes_explicit(double *v, double *next, int m, int steps, double ds, double dt, double strike,
                            double r, double sigma) {
    for (int i = 0; i <= m; i++) v[i] = fmax(strike - i * ds, 0.0);
    for (int t = 1; t <= steps; t++) {
        for (int i = 1; i < m; i++) {
            double s2 = sigma * sigma * i * i;
            double a = 0.5 * dt * (s2 - r * i);
            double b = 1.0 - dt * (s2 + r);
            double c = 0.5 * dt * (s2 + r * i);
            next[i] = a * v[i - 1] + b * v[i] + c * v[i + 1];
        }
        next[0] = strike * exp(-r * t * dt);
        next[m] = 0.0;
        for (int i = 0; i <= m; i++) v[i] = next[i];
    }
}
