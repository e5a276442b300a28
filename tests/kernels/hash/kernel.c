/* no operator covers this fold: NOT_LIFTED, with the summary that was found */
unsigned hash(const unsigned *s, int n) {
    unsigned h = 5381;
    for (int i = 0; i < n; i++) {
        h = (h << 5) ^ (h >> 27) ^ s[i];
    }
    return h;
}
