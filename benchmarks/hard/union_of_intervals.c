/* the length of the union of n intervals, which are sorted by where they begin */
long union_of_intervals(const int *first, const int *last, int n) {
    long covered = 0;
    int i = 0;
    while (i < n) {
        int begin = first[i], end = last[i];
        i++;
        while (i < n && first[i] <= end) {
            if (last[i] > end)
                end = last[i];
            i++;
        }
        covered += (long)end - begin;
    }
    return covered;
}
