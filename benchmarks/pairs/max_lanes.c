float maximum(const float *x, int n)
{
    float best = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > best)
            best = x[i];
    return best;
}

static float larger(float p, float q)
{
    return p > q ? p : q;
}

float maximum_lanes(const float *x, int n)
{
    float m0 = x[0], m1 = x[0], m2 = x[0], m3 = x[0];
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        m0 = larger(m0, x[i]);
        m1 = larger(m1, x[i + 1]);
        m2 = larger(m2, x[i + 2]);
        m3 = larger(m3, x[i + 3]);
    }
    for (; i < n; i++)
        m0 = larger(m0, x[i]);
    return larger(larger(m0, m1), larger(m2, m3));
}

float maximum_from_zero(const float *x, int n)
{
    float best = 0;
    const float *end = x + n;
    while (x < end) {
        best = larger(best, *x);
        x++;
    }
    return best;
}
