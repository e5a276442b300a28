/* dissolve: the active pixel where the opacity reaches the random number's hundredth, else the base */
void dissolve(int *out, const int *base, const int *active, int width, int height, int opacity, int random) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            if (opacity - ((random % 100) + 1) / 100 >= 0)
                out[i] = active[i];
            else
                out[i] = base[i];
        }
    }
}
