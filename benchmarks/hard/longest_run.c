/* the longest stretch of bits with at most k zeros; queue has room for n positions of zeros */
int longest_run(const unsigned char *bits, int n, int k, int *queue) {
    int head = 0, tail = 0, start = 0, longest = 0;
    for (int i = 0; i < n; i++) {
        if (bits[i] == 0)
            queue[tail++] = i;
        if (tail - head > k)
            start = queue[head++] + 1;
        if (i - start + 1 > longest)
            longest = i - start + 1;
    }
    return longest;
}
