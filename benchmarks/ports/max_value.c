float max_value(const float *x, int n)
{
    float best = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > best)
            best = x[i];
    return best;
}
