/* the largest r with r * r <= n */
unsigned integer_root(unsigned n) {
    unsigned r = 0;
    while ((unsigned long long)(r + 1) * (r + 1) <= n)
        r++;
    return r;
}
