/* result has n - 1 elements */
void sliding_sum(int *result, const int *data, int n) {
    for (int i = 0; i < n - 1; i++) {
        result[i] = data[i] + data[i + 1];
    }
}
