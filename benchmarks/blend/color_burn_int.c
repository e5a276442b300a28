/* color burn on ints, one flat loop: 255 where a == 0, otherwise 255 - (255 - b) / a */
void color_burn(int *out, const int *base, const int *active, int n) {
    for (int i = 0; i < n; i++) {
        if (active[i] == 0)
            out[i] = 255;
        else
            out[i] = 255 - (255 - base[i]) / active[i];
    }
}
