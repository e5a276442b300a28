/* color dodge on ints, one flat loop: 255 where a == 255, otherwise b / (255 - a) */
void color_dodge(int *out, const int *base, const int *active, int n) {
    for (int i = 0; i < n; i++) {
        if (active[i] == 255)
            out[i] = 255;
        else
            out[i] = base[i] / (255 - active[i]);
    }
}
