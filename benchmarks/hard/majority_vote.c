/* the value that more than half of the elements have, -1 where there is none (Boyer and Moore) */
int majority_vote(const int *votes, int n) {
    int candidate = -1, count = 0;
    for (int i = 0; i < n; i++) {
        if (count == 0) {
            candidate = votes[i];
            count = 1;
        } else if (votes[i] == candidate) {
            count++;
        } else {
            count--;
        }
    }
    int times = 0;
    for (int i = 0; i < n; i++)
        if (votes[i] == candidate)
            times++;
    return 2 * times > n ? candidate : -1;
}
