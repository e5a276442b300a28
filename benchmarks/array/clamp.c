void clamp(float *x, int n, float low, float high) {
    for (int i = 0; i < n; i++) {
        if (x[i] < low)
            x[i] = low;
        if (x[i] > high)
            x[i] = high;
    }
}
