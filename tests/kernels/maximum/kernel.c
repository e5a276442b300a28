/* n >= 1 */
int maximum(const int *a, int n) {
    int best = a[0];
    for (int i = 0; i < n; i++) {
        best = a[i] > best ? a[i] : best;
    }
    return best;
}
