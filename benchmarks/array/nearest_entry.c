/* the entry of a table that is nearest to a value, its distance, and what belongs to it */
int nearest_entry(const float *table, const float *mark, int n, float value, float *distance, float *found) {
    int at = 0;
    float least = (table[0] - value) * (table[0] - value);
    float here = mark[0];
    for (int i = 1; i < n; i++) {
        float d = (table[i] - value) * (table[i] - value);
        if (d < least) {
            least = d;
            at = i;
            here = mark[i];
        }
    }
    *distance = least;
    *found = here;
    return at;
}
