/* how many elements are above a threshold */
int count(const int *a, int n, int threshold) {
    int found = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > threshold) {
            found++;
        }
    }
    return found;
}
