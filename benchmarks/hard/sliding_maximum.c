/* the greatest of every k neighbours; queue has room for n positions */
void sliding_maximum(const int *x, int n, int k, int *queue, int *out) {
    int head = 0, tail = 0;
    for (int i = 0; i < n; i++) {
        while (head < tail && x[queue[tail - 1]] <= x[i])
            tail--;
        queue[tail++] = i;
        if (queue[head] <= i - k)
            head++;
        if (i >= k - 1)
            out[i - k + 1] = x[queue[head]];
    }
}
