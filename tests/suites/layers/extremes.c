int range_of(int n, const int *x) {
    int low = x[0], high = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i] < low)
            low = x[i];
        else if (x[i] > high)
            high = x[i];
    }
    return high - low;
}

void scale_to_unit(int n, float *x) {
    float low = x[0], high = x[0];
    for (int i = 1; i < n; i++) {
        float v = x[i];
        if (v > high)
            high = v;
        else if (!(v >= low))
            low = v;
    }
    for (int i = 0; i < n; i++)
        x[i] = (x[i] - low) / (high - low);
}
