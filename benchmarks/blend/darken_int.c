/* darken on ints, one flat loop: min(a, b) */
void darken(int *out, const int *base, const int *active, int n) {
    for (int i = 0; i < n; i++) {
        if (base[i] > active[i])
            out[i] = active[i];
        else
            out[i] = base[i];
    }
}
