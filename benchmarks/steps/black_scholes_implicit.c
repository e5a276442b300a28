/*
 * One European option on a grid of m + 1 prices, back in time by implicit differences.
 * v: the payoff at first, the values at last; v[0] and v[m] stay as they are.
 * In each step the tridiagonal system is solved by the Thomas algorithm, with c and d for the eliminated rows.
 */
void black_scholes_implicit(double *v, double *c, double *d, int m, int steps, double dt, double r, double sigma) {
    int i, t;

    for (t = 0; t < steps; t++) {
        c[0] = 0.0;
        d[0] = v[0];
        for (i = 1; i < m; i++) {
            double s2 = sigma * sigma * i * i;
            double lower = 0.5 * dt * (r * i - s2);
            double diag = 1.0 + dt * (s2 + r);
            double upper = -0.5 * dt * (r * i + s2);
            double w = diag - lower * c[i - 1];
            c[i] = upper / w;
            d[i] = (v[i] - lower * d[i - 1]) / w;
        }
        for (i = m - 1; i > 0; i--)
            v[i] = d[i] - c[i] * v[i + 1];
    }
}
