/* 1*1 + 2*2 + ... + n*n */
int squares_to_n(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++) {
        sum += i * i;
    }
    return sum;
}
