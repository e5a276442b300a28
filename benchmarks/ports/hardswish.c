void hardswish(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float t = x[i] + 3.0f;
        if (t < 0.0f) t = 0.0f;
        if (t > 6.0f) t = 6.0f;
        y[i] = x[i] * t / 6.0f;
    }
}
