void gram(const double *x, double *g, int n, int d)
{
    for (int i = 0; i < d; i++) {
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int r = 0; r < n; r++)
                s += x[r * d + i] * x[r * d + j];
            g[i * d + j] = s;
            g[j * d + i] = s;
        }
    }
}
