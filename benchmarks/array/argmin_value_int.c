/* the last place of the least element, and the element */
void argmin_value(const int *x, int n, int *value, int *place) {
    int best = x[0];
    int at = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] <= best) {
            best = x[i];
            at = i;
        }
    }
    *value = best;
    *place = at;
}
