void matvec(const float* a, const float* x, float* y, int n, int m)
{
    for (int i = 0; i < n; ++i) {
        y[i] = 0;
        for (int j = 0; j < m; ++j)
            y[i] += a[i * m + j] * x[j];
    }
}

template <typename T>
static T row_dot(const T* p, const T* q, int len)
{
    T s0{}, s1{};
    int j = 0;
    for (; j + 1 < len; j += 2) {
        s0 += p[j] * q[j];
        s1 += p[j + 1] * q[j + 1];
    }
    if (j < len)
        s0 += p[j] * q[j];
    return s0 + s1;
}

void matvec_lanes(const float* a, const float* x, float* y, int n, int m)
{
    for (int i = 0; i < n; ++i)
        y[i] = row_dot(a + i * m, x, m);
}

void matvec_stride(const float* a, const float* x, float* y, int n, int m)
{
    for (int i = 0; i < n; ++i)
        y[i] = row_dot(a + i * n, x, m);
}
