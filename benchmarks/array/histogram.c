/* how often each bin occurs, added to what is there; bins[i] is a bin's number */
void histogram(const int *bins, int n, int *counts) {
    for (int i = 0; i < n; i++) {
        counts[bins[i]] += 1;
    }
}
