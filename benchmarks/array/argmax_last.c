/* the last place of the greatest element */
int argmax(const int *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] >= x[best]) best = i;
    }
    return best;
}
