/* exponential average over `period` days that starts from the first price */
void seeded_average(const double *price, double *out, int n, int period) {
    double alpha = 2.0 / (period + 1);
    if (n <= 0) return;
    out[0] = price[0];
    for (int i = 1; i < n; i++) out[i] = out[i - 1] + alpha * (price[i] - out[i - 1]);
}
