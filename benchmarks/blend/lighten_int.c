/* lighten on ints, one flat loop: max(a, b) */
void lighten(int *out, const int *base, const int *active, int n) {
    for (int i = 0; i < n; i++) {
        if (base[i] < active[i])
            out[i] = active[i];
        else
            out[i] = base[i];
    }
}
