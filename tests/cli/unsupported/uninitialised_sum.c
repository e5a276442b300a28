float f(const float *a, int n) {
    float s; // UNSUPPORTED near: s
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
